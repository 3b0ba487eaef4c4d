package store

// Derivation is how a derived signal follows from stored ones. It stands in one
// place so that the Window, the history and a recording agree.
type Derivation struct {
	Signal SignalID
	Inputs []SignalID
	// Of computes the value from the inputs, in order; ok is false when it has
	// none (the mean size of no I/O).
	Of func(in []float64) (v float64, ok bool)
}

var (
	readIOPS, writeIOPS = MustLookup("disk.read_iops"), MustLookup("disk.write_iops")
	readKiBS, writeKiBS = MustLookup("disk.read_kib_s"), MustLookup("disk.write_kib_s")
	sourceOK            = MustLookup("source.ok")
	vacuumRunning       = MustLookup("pg.vacuum.running")
	vacuumPasses        = MustLookup("pg.vacuum.passes")
	vacuumWitness       = MustLookup("pg.vacuum.witness")

	derivations = []Derivation{
		{MustLookup("disk.iops"), []SignalID{readIOPS, writeIOPS}, sum},
		{MustLookup("disk.kib_s"), []SignalID{readKiBS, writeKiBS}, sum},
		{MustLookup("disk.read_io_kib"), []SignalID{readKiBS, readIOPS}, ratio},
		{MustLookup("disk.write_io_kib"), []SignalID{writeKiBS, writeIOPS}, ratio},
		{MustLookup("disk.io_kib"), []SignalID{readKiBS, writeKiBS, readIOPS, writeIOPS}, func(in []float64) (float64, bool) {
			return ratio([]float64{in[0] + in[1], in[2] + in[3]})
		}},
		{vacuumWitness, []SignalID{vacuumRunning, vacuumPasses}, func(in []float64) (float64, bool) {
			return min(1, in[0]+in[1]), true
		}},
	}
)

// DerivationOf returns how a derived signal is computed; ok is false for a
// stored one.
func DerivationOf(id SignalID) (Derivation, bool) {
	for _, d := range derivations {
		if d.Signal == id {
			return d, true
		}
	}
	return Derivation{}, false
}

func sum(in []float64) (float64, bool) {
	total := 0.0
	for _, v := range in {
		total += v
	}
	return total, true
}

func ratio(in []float64) (float64, bool) {
	if in[1] <= 0 {
		return 0, false
	}
	return in[0] / in[1], true
}
