-- Names are kept once; blocks and the journal refer to them by number. A signal
-- is kept by name because the program's own numbering changes with every release.
CREATE TABLE instance (
    id      INTEGER PRIMARY KEY,
    cluster TEXT NOT NULL,
    name    TEXT NOT NULL,
    UNIQUE (cluster, name)
);
CREATE TABLE stream ( -- one source of one instance
    id       INTEGER PRIMARY KEY,
    instance INTEGER NOT NULL REFERENCES instance (id),
    source   TEXT NOT NULL,
    UNIQUE (instance, source)
);
CREATE TABLE series (
    id     INTEGER PRIMARY KEY,
    stream INTEGER NOT NULL REFERENCES stream (id),
    signal TEXT NOT NULL,
    label  TEXT NOT NULL,
    seen   INTEGER NOT NULL, -- day (Unix time / 86400) it last had data, to forget it one day
    UNIQUE (stream, signal, label)
);

-- What came in since the blocks were sealed, a row a commit.
CREATE TABLE journal (
    id       INTEGER PRIMARY KEY,
    keyframe INTEGER NOT NULL, -- 1: can be read without the rows before it
    v        BLOB NOT NULL
);
-- Ten minutes of one instance: id = (Unix time / 600) << 20 | instance, so that
-- new blocks go to the end of the file and the oldest are one range.
CREATE TABLE block (
    id INTEGER PRIMARY KEY,
    v  BLOB NOT NULL
);
-- The last journal row a recent block includes: a restart must not take it twice.
CREATE TABLE sealed (
    block       INTEGER PRIMARY KEY,
    journal_row INTEGER NOT NULL
);
-- Minutes: first beside each block (same id), then folded into one row for each
-- series and day, id = day << 32 | series.
CREATE TABLE rollup_part (
    id INTEGER PRIMARY KEY,
    v  BLOB NOT NULL
);
CREATE TABLE rollup (
    id INTEGER PRIMARY KEY,
    v  BLOB NOT NULL
);
CREATE TABLE mark (
    name  TEXT PRIMARY KEY,
    value INTEGER NOT NULL
);

-- What sources said in words, a row for each change: role, facts, errors, notes.
CREATE TABLE said (
    id       INTEGER PRIMARY KEY,
    instance INTEGER NOT NULL REFERENCES instance (id),
    kind     TEXT NOT NULL, -- role, fact, error, notes, restart
    name     TEXT NOT NULL,
    source   TEXT NOT NULL,
    at_ms    INTEGER NOT NULL,
    value    TEXT NOT NULL
);
CREATE INDEX said_by_name ON said (instance, kind, name, at_ms);

CREATE TABLE event (
    id       INTEGER PRIMARY KEY,
    cluster  TEXT NOT NULL,
    instance TEXT NOT NULL,
    at_ms    INTEGER NOT NULL,
    kind     TEXT NOT NULL,
    text     TEXT NOT NULL,
    incident TEXT NOT NULL
);
CREATE INDEX event_by_time ON event (cluster, instance, at_ms);

CREATE TABLE incident (
    id        TEXT PRIMARY KEY,
    cluster   TEXT NOT NULL,
    instance  TEXT NOT NULL,
    runbook   TEXT NOT NULL,
    state     TEXT NOT NULL,
    opened_ms INTEGER NOT NULL,
    doc       TEXT NOT NULL -- the whole incident as JSON
);
CREATE INDEX incident_by_time ON incident (opened_ms);
CREATE INDEX incident_by_state ON incident (state) WHERE state <> 'closed';

CREATE TABLE run (
    id       TEXT PRIMARY KEY,
    incident TEXT NOT NULL,
    cluster  TEXT NOT NULL,
    instance TEXT NOT NULL,
    at_ms    INTEGER NOT NULL,
    doc      TEXT NOT NULL
);
CREATE INDEX run_by_incident ON run (incident, at_ms);
CREATE INDEX run_by_instance ON run (cluster, instance, at_ms);
