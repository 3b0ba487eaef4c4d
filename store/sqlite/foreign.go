package sqlite

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"stallbook/store"
)

// applicationID marks a file as ours, in the place that SQLite's header has for
// it: "stlb".
const applicationID = 0x73746c62

// Places in the header of a SQLite file, in bytes (sqlite.org/fileformat2.html).
const (
	headerLength  = 100
	schemaCookie  = 40 // 0 while no table was ever made
	applicationAt = 68
)

// refuseForeign reads the header of the file, if there is one, before anything
// opens it: another program's database must not be touched, not even its
// journal mode.
func refuseForeign(path string) error {
	f, err := os.Open(path)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return err
	}
	defer f.Close()
	head := make([]byte, headerLength)
	if _, err := io.ReadFull(f, head); err != nil {
		return nil // shorter than a database: SQLite says what it is
	}
	id := binary.BigEndian.Uint32(head[applicationAt:])
	made := binary.BigEndian.Uint32(head[schemaCookie:]) != 0
	if string(head[:16]) != "SQLite format 3\x00" || id == applicationID || id == 0 && !made {
		return nil
	}
	return &store.Problem{Code: "invalid", Message: fmt.Sprintf(
		"%s is the database of another program and was left as it is: name another file under database:", path)}
}
