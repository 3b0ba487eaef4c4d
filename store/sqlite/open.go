package sqlite

import (
	"context"
	"database/sql"
	"fmt"
	"log/slog"
	"net/url"
	"os"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"stallbook/store"

	"github.com/klauspost/compress/zstd"
)

// Options of Open. Zero fields mean the defaults.
type Options struct {
	Retention store.Retention
	Log       *slog.Logger     // default: slog.Default()
	Clock     func() time.Time // default: the wall clock
}

// The default retention.
const (
	defaultRaw    = 14 * 24 * time.Hour
	defaultRollup = 400 * 24 * time.Hour
)

// DB is the history file. Its methods may be called from any goroutine.
type DB struct {
	lock  *os.File // keeps a second program off the file; nil where that is not to be had
	path  string
	log   *slog.Logger
	clock func() time.Time
	keep  store.Retention

	w, r  *sql.DB // one writer, a pool of readers
	zread *zstd.Decoder

	queue queue
	saves saves
	state health

	mu  sync.RWMutex // guards mem: the writer changes it, readers look
	mem memory

	writer   writer
	incident atomic.Int64 // number of the newest incident
	runs     context.Context
	stop     context.CancelFunc
	done     chan struct{}
}

// Open opens or creates the history file and starts its writer. An error is a
// store.Problem whose message is fit for a person.
func Open(ctx context.Context, path string, opt Options) (*DB, error) {
	db := &DB{path: path, log: opt.Log, clock: opt.Clock, keep: opt.Retention, done: make(chan struct{})}
	if db.log == nil {
		db.log = slog.Default()
	}
	if db.clock == nil {
		db.clock = time.Now
	}
	if db.keep.Raw <= 0 {
		db.keep.Raw = defaultRaw
	}
	if db.keep.Rollup <= 0 {
		db.keep.Rollup = defaultRollup
	}
	if err := db.open(ctx); err != nil {
		db.closePools()
		return nil, openProblem(err, path)
	}
	// The writer outlives the caller's context: it ends with Close, after a flush,
	// and no commit is cut short, which would make a save look refused.
	db.runs, db.stop = context.WithCancel(context.WithoutCancel(ctx))
	go db.run(db.runs)
	return db, nil
}

func (db *DB) open(ctx context.Context) (err error) {
	if err := refuseForeign(db.path); err != nil {
		return err
	}
	if db.lock, err = lock(db.path); err != nil {
		return err
	}
	if db.w, err = sql.Open("sqlite", writerDSN(db.path)); err != nil {
		return err
	}
	db.w.SetMaxOpenConns(1)
	db.w.SetConnMaxLifetime(0)
	if err := migrate(ctx, db.w, db.path, schema()); err != nil {
		return err
	}
	if db.r, err = sql.Open("sqlite", readerDSN(db.path)); err != nil {
		return err
	}
	db.r.SetMaxOpenConns(4)
	db.r.SetMaxIdleConns(4)
	db.zread, err = zstd.NewReader(nil, zstd.WithDecoderConcurrency(max(2, runtime.GOMAXPROCS(0))), zstd.WithDecoderMaxMemory(maxTableMemory))
	if err != nil {
		return err
	}
	if err := db.writer.init(ctx, db); err != nil {
		return err
	}
	db.queue.init()
	db.saves.init()
	db.state.init(db.clock())
	if err := db.load(ctx); err != nil {
		return err
	}
	db.measure()
	return db.proveWritable(ctx)
}

// proveWritable fails at once on a file or folder that can only be read, instead
// of a minute later in the background.
// A disk that is full now may have room later: the program starts and says so.
func (db *DB) proveWritable(ctx context.Context) error {
	_, err := db.w.ExecContext(ctx, "INSERT OR REPLACE INTO mark (name, value) VALUES ('opened', ?)", db.clock().Unix())
	if isPassing(err) {
		why := inWords(err, db.path)
		db.state.end(db.clock(), why)
		db.log.Error("the history stopped", "why", why)
		return nil
	}
	return err
}

// writerDSN: busy_timeout comes first so that the pragmas after it wait for a
// lock, auto_vacuum before the first write because it can't be set later, and
// synchronous FULL because a commit a second costs next to nothing.
func writerDSN(path string) string {
	return dsn(path, "immediate", "busy_timeout(5000)", "auto_vacuum(INCREMENTAL)", "journal_mode(WAL)",
		"synchronous(FULL)", "foreign_keys(1)", "journal_size_limit(16777216)")
}

func readerDSN(path string) string {
	return dsn(path, "deferred", "busy_timeout(5000)", "query_only(1)", "mmap_size(268435456)")
}

func dsn(path, lock string, pragmas ...string) string {
	q := url.Values{"_txlock": {lock}, "_pragma": pragmas}
	u := url.URL{Scheme: "file", Opaque: (&url.URL{Path: path}).EscapedPath(), RawQuery: q.Encode()}
	return u.String()
}

// Flush waits until everything appended so far is committed, or until ctx ends.
func (db *DB) Flush(ctx context.Context) error {
	reply := make(chan error, 1)
	select {
	case db.writer.flush <- reply:
	case <-db.done:
		return fmt.Errorf("the history is closed")
	case <-ctx.Done():
		return ctx.Err()
	}
	select {
	case err := <-reply:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Close commits what is left and closes the file. What a failing disk refuses
// now is lost and the error says so.
func (db *DB) Close() error {
	db.stop()
	<-db.done
	err := db.writer.last
	if cerr := db.closePools(); err == nil {
		err = cerr
	}
	if err != nil {
		return openProblem(err, db.path)
	}
	return nil
}

func (db *DB) closePools() error {
	if db.zread != nil {
		db.zread.Close()
	}
	var err error
	if db.r != nil {
		err = db.r.Close()
	}
	if db.w != nil {
		if werr := db.w.Close(); err == nil {
			err = werr
		}
	}
	if db.lock != nil {
		db.lock.Close()
	}
	return err
}
