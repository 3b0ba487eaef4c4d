package sqlite

import (
	"context"
	"database/sql"
	"fmt"
	"io/fs"

	"stallbook/migrations"
	"stallbook/store"
)

// migrate brings the schema up to date, one transaction for each file.
// PRAGMA user_version counts the files that were run.
func migrate(ctx context.Context, db *sql.DB, path string, files fs.FS) error {
	names, err := fs.Glob(files, "*.sql")
	if err != nil {
		return err
	}
	var have int
	if err := db.QueryRowContext(ctx, "PRAGMA user_version").Scan(&have); err != nil {
		return err
	}
	if have > len(names) {
		return &store.Problem{Code: "unavailable", Message: fmt.Sprintf(
			"the history file %s was written by a newer stallbook (its schema is at step %d, this program knows %d): run the newer program, or name another file under database:",
			path, have, len(names))}
	}
	for i := have; i < len(names); i++ {
		if err := migrateOne(ctx, db, files, names[i], i+1); err != nil {
			return fmt.Errorf("migration %s: %w", names[i], err)
		}
	}
	return nil
}

func migrateOne(ctx context.Context, db *sql.DB, files fs.FS, name string, version int) error {
	text, err := fs.ReadFile(files, name)
	if err != nil {
		return err
	}
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if _, err := tx.ExecContext(ctx, string(text)); err != nil {
		return err
	}
	if _, err := tx.ExecContext(ctx, fmt.Sprintf("PRAGMA user_version = %d; PRAGMA application_id = %d", version, applicationID)); err != nil {
		return err
	}
	return tx.Commit()
}

// schema is the program's own list of migrations.
func schema() fs.FS { return migrations.FS }
