package poll

import (
	"hash/fnv"
	"time"

	"stallbook/store"
)

// grid is when the ticks of a loop are: at whole multiples of every, by the
// clock on the wall, plus a phase. The phase follows from the instance's name,
// so that the load of many instances spreads, the sources of one are read
// together, and a restart changes nothing. It lies between 0.05 and 0.55 of the
// second, so that a reading belongs to the second in which it was begun even
// when it is a little late.
type grid struct{ every, phase time.Duration }

func newGrid(ref store.Ref, every time.Duration) grid {
	h := fnv.New64a()
	h.Write([]byte(ref.String()))
	sum := h.Sum64()
	sum ^= sum >> 31 // FNV's low bits of short names are alike
	unit := min(every, time.Second)
	phase := unit/20 + time.Duration(sum%1000)*unit/2000
	if whole := every / time.Second; whole > 1 {
		phase += time.Duration((sum/1000)%uint64(whole)) * time.Second
	}
	return grid{every, phase}
}

// next returns the first tick after now that is not last again: a timer may fire
// a little before its time. A clock that was set back starts a new sequence.
func (g grid) next(now, last time.Time) time.Time {
	now = now.Round(0)
	tick := now.Add(-g.phase).Truncate(g.every).Add(g.phase)
	for !tick.After(now) {
		tick = tick.Add(g.every)
	}
	if early := last.Sub(tick); early >= 0 && early < g.every {
		return last.Add(g.every)
	}
	return tick
}
