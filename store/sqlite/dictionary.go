package sqlite

import (
	"context"
	"database/sql"

	"stallbook/store"
)

// derivedSource names the stream of roll-ups of derived signals: the lowest mean
// I/O size of a minute does not follow from the minute's sums.
const derivedSource = "derived"

// noSignal marks a series whose signal this program no longer knows.
const noSignal = store.SignalID(1<<16 - 1)

// instance is one server, with its open blocks.
type instance struct {
	id      int64
	ref     store.Ref
	streams []*stream
	open    map[int64]*openBlock // by slot
	said    map[saidKey]saidValue
}

// stream is one source of one instance.
type stream struct {
	id     int64
	source string
	inst   *instance
	index  int // among inst.streams
	series []*series
	byName map[seriesName]*series
	shape  []slot // the samples of the previous batch, by position
}

type seriesName struct {
	signal store.SignalID
	label  string
}

// series is one signal and label of a stream.
type series struct {
	id     int64
	signal store.SignalID
	name   string
	label  string
	stream *stream
	index  int // among stream.series
	seen   int64
}

// slot remembers which series stood at a position of a batch: consecutive
// batches of a source look alike, so that a comparison replaces a hash.
// Index and kind are copies: the loop over samples must not touch every series.
type slot struct {
	name  seriesName
	ser   *series
	prev  int64 // value in the previous batch, for the journal
	index int32
	kind  store.Kind
}

func slotFor(n seriesName, ser *series) slot {
	s := slot{name: n, ser: ser, index: int32(ser.index)}
	if info, ok := ser.info(); ok {
		s.kind = info.Kind
	}
	return s
}

// dictionary gives names their numbers.
type dictionary struct {
	instances  map[store.Ref]*instance
	byID       map[int64]*stream
	seriesByID map[int64]*series
	maxInst    int64
	maxStream  int64
	maxSeries  int64

	newInstances []*instance // not yet in the file
	newStreams   []*stream
	newSeries    []*series
}

func (d *dictionary) init() {
	d.instances, d.byID, d.seriesByID = map[store.Ref]*instance{}, map[int64]*stream{}, map[int64]*series{}
}

func (d *dictionary) instance(ref store.Ref) *instance {
	in := d.instances[ref]
	if in == nil {
		d.maxInst++
		in = d.addInstance(d.maxInst, ref)
		d.newInstances = append(d.newInstances, in)
	}
	return in
}

func (d *dictionary) addInstance(id int64, ref store.Ref) *instance {
	in := &instance{id: id, ref: ref, open: map[int64]*openBlock{}, said: map[saidKey]saidValue{}}
	d.instances[ref] = in
	d.maxInst = max(d.maxInst, id)
	return in
}

func (in *instance) find(source string) *stream {
	for _, s := range in.streams {
		if s.source == source {
			return s
		}
	}
	return nil
}

func (d *dictionary) stream(in *instance, source string) *stream {
	if s := in.find(source); s != nil {
		return s
	}
	d.maxStream++
	s := d.addStream(d.maxStream, in, source)
	d.newStreams = append(d.newStreams, s)
	return s
}

func (d *dictionary) addStream(id int64, in *instance, source string) *stream {
	s := &stream{id: id, source: source, inst: in, index: len(in.streams), byName: map[seriesName]*series{}}
	in.streams = append(in.streams, s)
	d.byID[id] = s
	d.maxStream = max(d.maxStream, id)
	return s
}

func (d *dictionary) series(s *stream, n seriesName, day int64) *series {
	if ser := s.byName[n]; ser != nil {
		return ser
	}
	d.maxSeries++
	ser := d.addSeries(d.maxSeries, s, n.signal.Name(), n.label, day)
	d.newSeries = append(d.newSeries, ser)
	return ser
}

func (d *dictionary) addSeries(id int64, s *stream, name, label string, day int64) *series {
	ser := &series{id: id, signal: noSignal, name: name, label: label, stream: s, index: len(s.series), seen: day}
	if sig, ok := store.Lookup(name); ok {
		ser.signal = sig
		s.byName[seriesName{sig, label}] = ser
	}
	s.series = append(s.series, ser)
	d.seriesByID[id] = ser
	d.maxSeries = max(d.maxSeries, id)
	return ser
}

// write puts new names into the file; clean forgets them once that is committed.
func (d *dictionary) write(ctx context.Context, tx *sql.Tx) error {
	for _, in := range d.newInstances {
		if _, err := tx.ExecContext(ctx, "INSERT INTO instance (id, cluster, name) VALUES (?, ?, ?)", in.id, in.ref.Cluster, in.ref.Instance); err != nil {
			return err
		}
	}
	for _, s := range d.newStreams {
		if _, err := tx.ExecContext(ctx, "INSERT INTO stream (id, instance, source) VALUES (?, ?, ?)", s.id, s.inst.id, s.source); err != nil {
			return err
		}
	}
	for _, s := range d.newSeries {
		if _, err := tx.ExecContext(ctx, "INSERT INTO series (id, stream, signal, label, seen) VALUES (?, ?, ?, ?, ?)", s.id, s.stream.id, s.name, s.label, s.seen); err != nil {
			return err
		}
	}
	return nil
}

func (d *dictionary) clean() { d.newInstances, d.newStreams, d.newSeries = nil, nil, nil }

func (d *dictionary) dirty() bool {
	return len(d.newInstances)+len(d.newStreams)+len(d.newSeries) > 0
}
