package sqlite

import (
	"context"
	"database/sql"
	"slices"
	"time"

	"stallbook/store"
)

// blocksBetween walks the blocks of one instance from ?1 to ?2, ?3 apart.
const blocksBetween = `WITH RECURSIVE want(id) AS (SELECT ?1 UNION ALL SELECT id + ?3 FROM want WHERE id < ?2)
	SELECT block.id, block.v FROM want JOIN block ON block.id = want.id`

// Recent returns what was read between from and to, both included, in order of
// time, as batches at full seconds: to fill a Window after a restart, or to judge
// a past moment. Roles and facts as they stood at from come first, dated when
// they were first seen. cluster "" means all clusters. A batch takes 32 bytes a
// sample: ask for a few minutes at a time where there are many instances.
func (db *DB) Recent(ctx context.Context, from, to time.Time, cluster string) ([]store.Batch, error) {
	lo, hi := from.Unix(), to.Unix()
	if hi < lo {
		return nil, nil
	}
	c := collector{db: db, lo: lo, hi: hi}
	insts := c.memory(cluster)
	if err := c.sealed(ctx, insts); err != nil {
		return nil, err
	}
	said, err := db.saidBetween(ctx, from, to, insts)
	if err != nil {
		return nil, err
	}
	out := append(said, c.out...)
	slices.SortStableFunc(out, func(a, b store.Batch) int { return a.At.Compare(b.At) })
	return withNotes(out, said), nil
}

// collector turns blocks back into batches.
type collector struct {
	db     *DB
	lo, hi int64
	out    []store.Batch
	fresh  map[batchKey]bool // what memory had; a block sealed meanwhile repeats it
}

type batchKey struct{ stream, sec int64 }

type readInstance struct {
	id  int64
	ref store.Ref
}

// memory collects from the open blocks and lists the instances asked for.
func (c *collector) memory(cluster string) []readInstance {
	c.db.mu.RLock()
	defer c.db.mu.RUnlock()
	var insts []readInstance
	for ref, in := range c.db.mem.instances {
		if cluster != "" && ref.Cluster != cluster {
			continue
		}
		insts = append(insts, readInstance{in.id, ref})
		for _, b := range in.open {
			if (b.slot+1)*blockSeconds > c.lo && b.slot*blockSeconds <= c.hi {
				c.block(ref, b.slot, b.columns())
			}
		}
	}
	c.fresh = map[batchKey]bool{}
	for _, b := range c.out {
		if s := c.db.mem.instances[b.Ref].find(b.Source); s != nil {
			c.fresh[batchKey{s.id, b.At.Unix()}] = true
		}
	}
	return insts
}

func (c *collector) sealed(ctx context.Context, insts []readInstance) error {
	r := tableReader{z: c.db.zread}
	for _, in := range insts {
		err := query(ctx, c.db.r, func(rows *sql.Rows) error {
			var id int64
			var blob sql.RawBytes
			if err := rows.Scan(&id, &blob); err != nil {
				return err
			}
			var cols []column
			err := r.open(blob)
			if err == nil {
				cols, err = merge(&r, nil)
			}
			if err != nil {
				c.db.log.Warn("a sealed block can't be read and is left out", "block", id, "err", err)
				return nil
			}
			c.db.mu.RLock()
			defer c.db.mu.RUnlock()
			c.block(in.ref, slotOf(id), cols)
			return nil
		}, blocksBetween, blockID(floorDiv(c.lo, blockSeconds), in.id), blockID(floorDiv(c.hi, blockSeconds), in.id), int64(1)<<instanceBits)
		if err != nil {
			return err
		}
	}
	return nil
}

// block adds the batches of one block. The caller holds DB.mu.
func (c *collector) block(ref store.Ref, slot int64, cols []column) {
	p := batcher{c: c, ref: ref, first: slot * blockSeconds, elapsed: map[int64]*[blockSeconds]int64{}, over: map[int64]map[int]int64{},
		usual: map[int64]*[blockSeconds]int{}, other: map[otherKey]int{}}
	for _, col := range cols {
		switch col.key & 3 {
		case keyElapsed:
			var us [blockSeconds]int64
			col.valid.each(func(row, rank int) { us[row] = col.vals[rank] })
			p.elapsed[int64(col.key>>2)] = &us
		case keyOverride:
			own := map[int]int64{}
			col.valid.each(func(row, rank int) { own[row] = col.vals[rank] })
			p.over[int64(col.key>>2)] = own
		}
	}
	for _, col := range cols {
		ser := c.db.mem.seriesByID[int64(col.key>>2)]
		if col.key&3 == keySeries && ser != nil && ser.signal != noSignal {
			p.series(ser, col)
		}
	}
}

// batcher gathers the samples of one block by source, second and elapsed time.
type batcher struct {
	c       *collector
	ref     store.Ref
	first   int64
	elapsed map[int64]*[blockSeconds]int64 // by stream
	over    map[int64]map[int]int64        // by series
	usual   map[int64]*[blockSeconds]int   // by stream: index into out, plus one
	other   map[otherKey]int               // the same for another elapsed time
}

type otherKey struct {
	stream int64
	row    int
	us     int64
}

func (p *batcher) series(ser *series, col column) {
	id := ser.stream.id
	if p.usual[id] == nil {
		p.usual[id] = new([blockSeconds]int)
	}
	usual, lane, own := p.usual[id], p.elapsed[id], p.over[ser.id]
	col.valid.each(func(row, rank int) {
		sec := p.first + int64(row)
		if sec < p.c.lo || sec > p.c.hi || p.c.fresh[batchKey{id, sec}] {
			return
		}
		var at int
		if us, differs := own[row]; differs {
			k := otherKey{id, row, us}
			if p.other[k] == 0 {
				p.other[k] = p.start(ser, sec, us)
			}
			at = p.other[k]
		} else {
			if usual[row] == 0 {
				us := int64(0)
				if lane != nil {
					us = lane[row]
				}
				usual[row] = p.start(ser, sec, us)
			}
			at = usual[row]
		}
		b := &p.c.out[at-1]
		b.Samples = append(b.Samples, store.Sample{Signal: ser.signal, Label: ser.label, N: col.vals[rank]})
	})
}

// start adds an empty batch and returns its index plus one.
func (p *batcher) start(ser *series, sec, us int64) int {
	p.c.out = append(p.c.out, store.Batch{Ref: p.ref, Source: ser.stream.source, At: time.Unix(sec, 0).UTC(),
		Elapsed: time.Duration(us) * time.Microsecond})
	return len(p.c.out)
}
