package match

import (
	"context"
	"fmt"
	"time"

	"stallbook/runbooks/signature"
	"stallbook/store"
)

// Past reads kept batches in time order; cluster "" means all.
type Past interface {
	Recent(ctx context.Context, from, to time.Time, cluster string) ([]store.Batch, error)
}

// baselineSpan is how much of the past a judgement needs.
const baselineSpan = 30 * time.Minute

// DiagnosesAt judges a past second from the history: it fills a Window of its
// own as it stood then and asks the same signatures.
func (m *Matcher) DiagnosesAt(ctx context.Context, past Past, ref store.Ref, at time.Time) ([]store.Diagnosis, error) {
	batches, err := past.Recent(ctx, at.Add(-baselineSpan), at, ref.Cluster)
	if err != nil {
		return nil, fmt.Errorf("history of %s before %s: %w", ref, at.Format(time.RFC3339), err)
	}
	sigs := m.o.Signatures()
	w := store.NewWindow(Baselines(sigs))
	for _, b := range batches {
		w.Push(b)
	}
	overrides := m.o.Overrides(ref.Cluster)
	var list []store.Diagnosis
	w.Read(func(v store.View) {
		for _, s := range sigs {
			var r signature.Result
			s.Judge(v, ref, at, signature.Options{Overrides: overrides[s.Slug]}, &r)
			list = append(list, m.diagnosis(&r))
		}
	})
	sortNearest(list)
	return list, nil
}

// Baselines lists the signals whose usual value any of the signatures needs.
func Baselines(sigs []*signature.Signature) []store.SignalID {
	var out []store.SignalID
	for _, s := range sigs {
		out = append(out, s.Baselines()...)
	}
	return out
}
