package replay

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// values reads JSON values one after another, however they are laid out: the
// object that `aws logs filter-log-events` writes, a list of events or of
// documents, or documents over several lines. What does not parse ends it, as
// nothing tells where the next value begins.
func (e *export) values(in io.Reader) {
	dec := json.NewDecoder(in)
	for {
		begin, err := dec.Token()
		if errors.Is(err, io.EOF) {
			return
		}
		if err == nil {
			err = e.next(dec, begin)
		}
		if err != nil {
			e.problem(e.count+1, fmt.Errorf("event %d and what follows can't be read: the file is not JSON from byte %d on", e.count+1, dec.InputOffset()))
			return
		}
	}
}

// next reads one value of the outermost level, event by event where it is a list
// of them: an export of a day is larger than what is kept of it.
func (e *export) next(dec *json.Decoder, begin json.Token) error {
	switch begin {
	case json.Delim('['):
		return e.list(dec)
	case json.Delim('{'):
		return e.object(dec)
	}
	return errors.New("neither an object nor a list")
}

// list reads the elements of a list that has begun, and its end.
func (e *export) list(dec *json.Decoder) error {
	for dec.More() {
		var one json.RawMessage
		if err := dec.Decode(&one); err != nil {
			return err
		}
		e.count++
		e.value(e.count, one)
	}
	_, err := dec.Token()
	return err
}

// object reads an object that has begun: a page of events, or one document.
func (e *export) object(dec *json.Decoder) error {
	rest, page := map[string]json.RawMessage{}, false
	for dec.More() {
		key, err := dec.Token()
		if err != nil {
			return err
		}
		name, _ := key.(string)
		if name == "events" {
			page = true
			if err := e.events(dec); err != nil {
				return err
			}
			continue
		}
		var value json.RawMessage
		if err := dec.Decode(&value); err != nil {
			return err
		}
		rest[name] = value
	}
	if _, err := dec.Token(); err != nil || page {
		return err
	}
	whole, err := json.Marshal(rest)
	if err != nil {
		return err
	}
	e.count++
	e.value(e.count, whole)
	return nil
}

func (e *export) events(dec *json.Decoder) error {
	begin, err := dec.Token()
	if err != nil {
		return err
	}
	if begin != json.Delim('[') {
		return errors.New(`"events" is not a list`)
	}
	return e.list(dec)
}
