ALTER TABLE {{table}} SET (fillfactor = 50);
