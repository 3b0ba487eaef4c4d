// Package nodeexporter reads the I/O counters of the block device that holds a
// data directory from a Prometheus node_exporter on the database's host.
package nodeexporter

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"sync"
	"time"

	"stallbook/server/source/scrape"
	"stallbook/store"
)

// Name is the name of this source in batches.
const Name = "nodeexporter"

// lookAgain is how often the device is looked for anew while all is well: a
// volume may be swapped under its mount point.
const lookAgain = time.Minute

// Options say where to scrape and which device to read. Without Device the one
// under DataDir is taken, without both the host's only one.
type Options struct {
	Ref     store.Ref
	URL     string         // http://10.0.0.5:9100/metrics
	Device  string         // as in the page, /dev/..., a device mapper name, vg/lv or a serial (EBS volume id)
	DataDir string         // path of the data directory on that host
	Limits  []store.Sample // of the volume, added to every good reading; see Limits
}

// Source reads one device of one host. Collect is not for concurrent use.
type Source struct {
	client *scrape.Client
	whole  bool // the exporter refuses to filter collectors

	mu   sync.Mutex // guards opts.DataDir, which another source may tell later
	opts Options

	device string // "" until found
	looked time.Time
	last   *counters
}

// New returns a source; the error says what is wrong with the URL.
func New(o Options) (*Source, error) {
	client, err := scrape.New(o.URL)
	if err != nil {
		return nil, fmt.Errorf("node_exporter: %w", err)
	}
	return &Source{client: client, opts: o}, nil
}

// SetDataDir tells where the data directory is, once Postgres has said it. A
// configured one wins.
func (s *Source) SetDataDir(dir string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.opts.DataDir == "" {
		s.opts.DataDir = dir
	}
}

func (s *Source) options() Options {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.opts
}

// Connected reports whether the last Collect reached the exporter.
func (s *Source) Connected() bool { return s.client.Reached() }

// Close drops the connection.
func (s *Source) Close() error { return s.client.Close() }

// Collect scrapes once. The first reading, and one after a reset or on another
// device, has no rates.
func (s *Source) Collect(ctx context.Context, now time.Time) store.Batch {
	b := store.Batch{Ref: s.opts.Ref, Source: Name, At: now}
	if err := s.read(ctx, &b); err != nil {
		b.Err = err.Error()
	} else {
		b.Samples = append(b.Samples, s.opts.Limits...)
	}
	return b
}

func (s *Source) read(ctx context.Context, b *store.Batch) error {
	look := s.device == "" || b.At.Sub(s.looked) >= lookAgain
	page, err := s.scrape(ctx, look)
	if err != nil {
		return err
	}
	if look {
		if err := s.look(page, b); err != nil {
			s.device, s.last = "", nil
			return err
		}
	}
	is, ok := countersOf(page, s.device)
	if !ok {
		gone := s.device
		s.device, s.last = "", nil
		s.event(b, "source", "the block device %s is gone from the host", gone)
		return fmt.Errorf("the block device %s is gone from the host's page; it is looked for again", gone)
	}
	return s.compare(is, b)
}

// look finds the device in a page that has the filesystems.
func (s *Source) look(page scrape.Page, b *store.Batch) error {
	o := s.options()
	device, err := layoutOf(page).find(o.Device, o.DataDir)
	if err != nil {
		return err
	}
	if s.device != "" && s.device != device {
		s.event(b, "source", "the data directory is on %s now, it was on %s", device, s.device)
		s.last = nil
	}
	s.device, s.looked = device, b.At
	return nil
}

// compare turns this reading and the last one into samples.
func (s *Source) compare(is counters, b *store.Batch) error {
	was := s.last
	if was != nil && samePage(*was, is) {
		return fmt.Errorf("the page is the same as %.0f s ago: a cache or a proxy answers for the exporter; point node_exporter.url at the exporter itself",
			max(1, is.readAt.Sub(was.readAt).Seconds()))
	}
	s.last = &is
	if was == nil {
		return nil
	}
	if wentBack(*was, is) {
		s.event(b, "reset", "the I/O counters of %s began anew (restart of the host, or the device was replaced)", s.device)
		return nil
	}
	b.Elapsed = elapsed(*was, is)
	if b.Elapsed <= 0 {
		b.Elapsed = 0
		return nil
	}
	b.Samples = samples(*was, is, b.Elapsed)
	return nil
}

func (s *Source) event(b *store.Batch, kind, format string, args ...any) {
	b.Events = append(b.Events, store.Event{At: b.At, Ref: s.opts.Ref, Kind: kind, Text: fmt.Sprintf(format, args...)})
}

// scrape asks only for the collectors it needs: an exporter with a hundred of
// them, or a hanging network mount, costs nothing then.
func (s *Source) scrape(ctx context.Context, filesystems bool) (scrape.Page, error) {
	if s.whole {
		return s.client.Get(ctx, nil)
	}
	query := url.Values{"collect[]": {"diskstats", "time"}}
	if filesystems && s.options().Device == "" {
		query.Add("collect[]", "filesystem")
	}
	page, err := s.client.Get(ctx, query)
	var status *scrape.StatusError
	if errors.As(err, &status) && status.Code == http.StatusBadRequest {
		s.whole = true // one of the collectors is off
		return s.client.Get(ctx, nil)
	}
	return page, err
}

// Limits are the configured limits of the volume as samples; 0 is not known and
// left out. iops is I/Os a second, kibs KiB/s.
func Limits(iops, kibs float64) []store.Sample {
	var out []store.Sample
	if iops > 0 {
		out = append(out, store.SampleOf(store.MustLookup("disk.iops_limit"), "", iops, 0))
	}
	if kibs > 0 {
		out = append(out, store.SampleOf(store.MustLookup("disk.kib_s_limit"), "", kibs, 0))
	}
	return out
}
