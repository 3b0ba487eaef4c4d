package server

import (
	"slices"

	"stallbook/store"
)

// forgetStrangers takes the instances that nobody reads any more out of the
// Window. A restart fills it from the history, which knows what was read then.
// Those of a cluster that is still looked for stay until it is found.
func (f *fleet) forgetStrangers(listed map[store.Ref]*prepared, wanted map[store.Ref]*member) {
	for _, ref := range f.refs() {
		_, stays := listed[ref]
		if stays || wanted[ref] != nil || wanted[store.Ref{Cluster: ref.Cluster, Instance: notFoundYet}] != nil {
			continue
		}
		f.window.Remove(ref)
	}
}

// forgetSources does the same for sources of one instance.
func (f *fleet) forgetSources(ref store.Ref, stay []named) {
	var gone []string
	f.window.Read(func(v store.View) {
		in := v.Instance(ref)
		if in == nil {
			return
		}
		for _, s := range in.Sources() {
			if !slices.ContainsFunc(stay, func(n named) bool { return n.name == s.Source }) {
				gone = append(gone, s.Source)
			}
		}
	})
	for _, name := range gone {
		f.window.RemoveSource(ref, name)
	}
}

func (f *fleet) refs() (list []store.Ref) {
	f.window.Read(func(v store.View) { list = v.Refs() })
	return list
}
