package sqlite

import (
	"context"
	"database/sql"
	"log/slog"
	"time"
)

// commitEvery is how much a kill may cost.
const commitEvery = time.Second

// Bounds of one commit and of what waits for a failing disk.
const (
	sealsPerCommit = 64
	trimEvery      = 10  // commits
	tidyEvery      = 60  // commits
	maxWaitingRows = 600 // journal rows in memory; then batches stay in the queue
)

// writer is what the one writing goroutine uses.
type writer struct {
	log     *slog.Logger
	enc     *tableEncoder
	reader  tableReader
	blob    []byte
	flush   chan chan error
	last    error // outcome of the latest commit
	count   int   // commits
	horizon int64 // slot, see memory.horizon

	putJournal, putSaid                    *sql.Stmt
	readBlock, putBlock, putSealed         *sql.Stmt
	readPart, putPart, dropPart, putRollup *sql.Stmt
}

func (w *writer) init(ctx context.Context, db *DB) (err error) {
	w.log, w.flush = db.log, make(chan chan error)
	w.reader.z = db.zread
	if w.enc, err = newTableEncoder(); err != nil {
		return err
	}
	for _, p := range []struct {
		to   **sql.Stmt
		text string
	}{
		{&w.putJournal, "INSERT INTO journal (id, keyframe, v) VALUES (?, ?, ?)"},
		{&w.putSaid, "INSERT INTO said (instance, kind, name, source, at_ms, value) VALUES (?, ?, ?, ?, ?, ?)"},
		{&w.readBlock, "SELECT v FROM block WHERE id = ?"},
		{&w.putBlock, "INSERT OR REPLACE INTO block (id, v) VALUES (?, ?)"},
		{&w.putSealed, "INSERT OR REPLACE INTO sealed (block, journal_row) VALUES (?, ?)"},
		{&w.readPart, "SELECT v FROM rollup_part WHERE id = ?"},
		{&w.putPart, "INSERT OR REPLACE INTO rollup_part (id, v) VALUES (?, ?)"},
		{&w.dropPart, "DELETE FROM rollup_part WHERE id = ?"},
		{&w.putRollup, "INSERT OR REPLACE INTO rollup (id, v) VALUES (?, ?)"},
	} {
		if *p.to, err = db.w.PrepareContext(ctx, p.text); err != nil {
			return err
		}
	}
	return nil
}

// run is the writing goroutine. It ends with ctx, after a last commit.
func (db *DB) run(ctx context.Context) {
	defer close(db.done)
	work := context.WithoutCancel(ctx)
	tick := time.NewTicker(commitEvery)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			if db.state.mayTry(db.clock()) {
				db.attempt(work, true)
			}
		case <-db.saves.wake:
			if db.state.mayTry(db.clock()) {
				db.attempt(work, false)
			}
		case reply := <-db.writer.flush:
			db.attempt(work, true)
			reply <- db.writer.last
		case <-ctx.Done():
			db.attempt(work, true)
			return
		}
	}
}

// attempt writes the saves, then the samples, and keeps the health up to date.
func (db *DB) attempt(ctx context.Context, samples bool) {
	db.state.begin(db.clock())
	err := db.commitSaves(ctx)
	if samples {
		if serr := db.commitSamples(ctx); err == nil {
			err = serr
		}
		db.measure()
	}
	db.writer.last = err
	message := ""
	if err != nil {
		message = inWords(err, db.path)
	} else if !samples && !db.state.good() {
		err = db.commitSamples(ctx) // a save went through: the disk is back
		if err != nil {
			message = inWords(err, db.path)
		}
	}
	if !db.state.end(db.clock(), message) {
		return
	}
	if err != nil {
		db.log.Error("the history stopped", "why", message)
	} else {
		db.log.Info("the history is recorded again", "file", db.path)
	}
}

// commitSaves writes incidents, runs and events. A statement that is wrong in
// itself fails alone, so that it does not hold up the others.
func (db *DB) commitSaves(ctx context.Context) error {
	list := db.saves.take()
	if len(list) == 0 {
		return nil
	}
	err := db.inTx(ctx, func(tx *sql.Tx) error {
		for _, s := range list {
			if err := s.apply(ctx, tx); err != nil {
				return err
			}
		}
		return nil
	})
	if err == nil || isDiskTrouble(err) {
		db.saves.settle(err, err != nil)
		return err
	}
	for _, s := range list {
		one := db.inTx(ctx, func(tx *sql.Tx) error { return s.apply(ctx, tx) })
		if isDiskTrouble(one) {
			db.saves.settle(one, true)
			return one
		}
		if one != nil {
			db.log.Error("a save is wrong and is left out", "what", s.key, "err", one)
		}
		s.done <- one
	}
	db.saves.settle(nil, false)
	return nil
}

func (db *DB) inTx(ctx context.Context, f func(*sql.Tx) error) error {
	tx, err := db.w.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if err := f(tx); err != nil {
		return err
	}
	return tx.Commit()
}
