package web

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/go-chi/chi/v5"

	"stallbook/store"
)

func pathRef(r *http.Request) store.Ref {
	return store.Ref{Cluster: pathValue(r, "cluster"), Instance: pathValue(r, "instance")}
}

// pathValue is a decoded part of the path. chi routes by the escaped path where
// that differs, so that a name may hold a slash.
func pathValue(r *http.Request, name string) string {
	v := chi.URLParam(r, name)
	if r.URL.RawPath == "" {
		return v
	}
	if plain, err := url.PathUnescape(v); err == nil {
		return plain
	}
	return v
}

// parseTime reads a time as Unix milliseconds or RFC 3339; "" is the zero time.
func parseTime(name, v string) (time.Time, error) {
	if v == "" {
		return time.Time{}, nil
	}
	if ms, err := strconv.ParseInt(v, 10, 64); err == nil {
		if ms < 0 || ms > maxMillis {
			return time.Time{}, invalid(fmt.Sprintf("%s: %s is not a time in Unix milliseconds.", name, v))
		}
		return time.UnixMilli(ms).UTC(), nil
	}
	t, err := time.Parse(time.RFC3339Nano, v)
	if err != nil {
		return time.Time{}, invalid(fmt.Sprintf("%s: %q is neither Unix milliseconds nor a time like 2026-12-01T02:30:00Z.", name, v))
	}
	return t.UTC(), nil
}

// maxMillis is the year 9999: later times do not fit RFC 3339.
const maxMillis = 253402300799999

// timeParam reads a time from the query.
func timeParam(r *http.Request, name string) (time.Time, error) {
	return parseTime(name, r.URL.Query().Get(name))
}

// intParam reads a whole number from lo to hi, or gives def.
func intParam(r *http.Request, name string, def, lo, hi int) (int, error) {
	v := r.URL.Query().Get(name)
	if v == "" {
		return def, nil
	}
	n, err := strconv.Atoi(v)
	if err != nil || n < lo || n > hi {
		return 0, invalid(fmt.Sprintf("%s: %q is not a whole number from %d to %d.", name, v, lo, hi))
	}
	return n, nil
}

// known returns ref if it is watched, else a sentence with the nearest name.
func (s *Server) known(ref store.Ref) (store.Ref, error) {
	var found bool
	var names []string
	s.d.Window.Read(func(v store.View) {
		found = v.Instance(ref) != nil
		for _, r := range v.Refs() {
			names = append(names, r.String())
		}
	})
	if found {
		return ref, nil
	}
	hint := ""
	if n := store.Nearest(ref.String(), names); n != "" {
		hint = " Did you mean " + n + "?"
	}
	return ref, notFound(fmt.Sprintf("No instance %q is watched here.%s", ref.String(), hint))
}

// writeJSON sends v. An encoding error can only be ours; the status is out by
// then, so it ends the connection for the caller to see.
func writeJSON(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.WriteHeader(status)
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(true)
	if err := enc.Encode(v); err != nil {
		panic(http.ErrAbortHandler)
	}
}
