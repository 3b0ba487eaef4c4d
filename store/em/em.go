package em

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"
	"unicode"
)

// Document is what is kept of one document.
type Document struct {
	Engine     string    // as the agent writes it: POSTGRES, aurora-postgresql, MYSQL, ...
	Instance   string    // DB instance identifier
	ResourceID string    // DbiResourceId, which is the log stream's name
	At         time.Time // the document's own time, UTC
	// Interval is over how long it counted; 0 when nothing moved, which leaves
	// no way to tell.
	Interval time.Duration
	Disks    []Device // as the host sees them: data volume, root, local disk
	Physical []Device // below the data volume; none on Aurora and from old agents

	cpu     cpu
	blocked number
}

// Secondary ends the name of the log stream, and here of the instance, of the
// standby of a Multi-AZ instance. Nobody can read that one, and its disk must
// not be taken for the primary's.
const Secondary = "-secondary"

// EngineError refuses a document whose shape belongs to another kind of server.
type EngineError struct{ Instance, Engine string }

func (e *EngineError) Error() string {
	return fmt.Sprintf("%s runs %s, whose Enhanced Monitoring documents have another shape; stallbook reads those of PostgreSQL", e.Instance, e.Engine)
}

// Decode reads one log event, which holds one document as a rule and several
// one after another at times. at is the event's own time; a document without a
// readable one takes it, or is refused when at is zero. The documents that could
// be read come back beside the error that tells of the others; the error never
// quotes them.
func Decode(message []byte, at time.Time) ([]Document, error) {
	var out []Document
	var errs []error
	dec := json.NewDecoder(bytes.NewReader(message))
	for {
		var raw document
		err := dec.Decode(&raw)
		switch {
		case errors.Is(err, io.EOF):
			if len(out)+len(errs) == 0 {
				errs = append(errs, errors.New("the event is empty"))
			}
			return out, errors.Join(errs...)
		case err != nil:
			var typ *json.UnmarshalTypeError
			if errors.As(err, &typ) {
				errs = append(errs, fmt.Errorf("is a JSON %s, not a document", typ.Value))
				continue
			}
			errs = append(errs, fmt.Errorf("is not JSON from byte %d on", dec.InputOffset()))
			return out, errors.Join(errs...)
		}
		doc, err := raw.check(at)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		out = append(out, doc)
	}
}

func (raw *document) check(at time.Time) (Document, error) {
	d := Document{
		Engine: plain(raw.Engine.v), Instance: plain(raw.Instance.v), ResourceID: plain(raw.ResourceID.v),
		cpu: raw.CPU.v, blocked: raw.Tasks.v.Blocked,
	}
	if d.Instance == "" || d.Engine == "" {
		return d, errors.New("is not an Enhanced Monitoring document: it has no engine or no instanceID")
	}
	if strings.HasPrefix(strings.ToLower(strings.ReplaceAll(d.Engine, "-", "")), "sqlserver") {
		return d, &EngineError{d.Instance, d.Engine}
	}
	own, err := time.Parse(time.RFC3339Nano, raw.Timestamp.v)
	switch {
	case err == nil && own.Year() >= 1970 && own.Year() <= 2200:
		d.At = own.UTC()
	case !at.IsZero():
		d.At = at.UTC()
	default:
		return d, fmt.Errorf("the document of %s has no time that can be read", d.Instance)
	}
	d.Disks, d.Physical = devices(raw.DiskIO.v), devices(raw.Physical.v)
	d.Interval = interval(append(d.Disks[:len(d.Disks):len(d.Disks)], d.Physical...))
	return d, nil
}

func devices(raw []loose[diskIO]) []Device {
	var out []Device
	for _, r := range raw {
		out = append(out, Device{plain(r.v.Device.v), r.v})
	}
	return out
}

// plain keeps a name only if it can stand in a path and on a terminal.
func plain(name string) string {
	bad := func(r rune) bool { return r == '/' || r == unicode.ReplacementChar || unicode.IsControl(r) }
	if len(name) > 200 || strings.ContainsFunc(name, bad) {
		return ""
	}
	return name
}
