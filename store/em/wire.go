package em

import (
	"encoding/json"
	"math"
	"strconv"
)

// loose is a value whose shape changed between agents: what does not fit is
// absent and costs nothing else.
type loose[T any] struct{ v T }

// UnmarshalJSON implements json.Unmarshaler. It never fails.
func (l *loose[T]) UnmarshalJSON(text []byte) error {
	var v T
	if json.Unmarshal(text, &v) == nil {
		l.v = v
	}
	return nil
}

// number is a JSON number, or one in quotes; anything else is absent. No
// quantity of a document can be negative.
type number struct {
	v  float64
	ok bool
}

// UnmarshalJSON implements json.Unmarshaler. It never fails.
func (n *number) UnmarshalJSON(text []byte) error {
	if len(text) > 1 && text[0] == '"' {
		text = text[1 : len(text)-1]
	}
	v, err := strconv.ParseFloat(string(text), 64)
	if err == nil && v >= 0 && v < maxNumber && !math.IsNaN(v) {
		*n = number{v, true}
	}
	return nil
}

// maxNumber is more than any disk does; beyond it an integer loses digits.
const maxNumber = 1e10

func (n number) plus(o number) number { return number{n.v + o.v, n.ok && o.ok} }

// document is the part of a document that is read.
type document struct {
	Engine     loose[string]          `json:"engine"`
	Instance   loose[string]          `json:"instanceID"`
	ResourceID loose[string]          `json:"instanceResourceID"`
	Timestamp  loose[string]          `json:"timestamp"`
	CPU        loose[cpu]             `json:"cpuUtilization"`
	Tasks      loose[tasks]           `json:"tasks"`
	DiskIO     loose[[]loose[diskIO]] `json:"diskIO"`
	Physical   loose[[]loose[diskIO]] `json:"physicalDeviceIO"`
}

type cpu struct {
	Total number `json:"total"`
	Wait  number `json:"wait"`
}

type tasks struct {
	Blocked number `json:"blocked"`
}

// diskIO is one device. The second block is Aurora's.
type diskIO struct {
	Device loose[string] `json:"device"`
	Reads  number        `json:"readIOsPS"`
	Writes number        `json:"writeIOsPS"`

	TPS       number `json:"tps"`
	ReadKB    number `json:"readKb"`
	WriteKB   number `json:"writeKb"`
	ReadKBPS  number `json:"readKbPS"`
	WriteKBPS number `json:"writeKbPS"`
	Await     number `json:"await"`
	Util      number `json:"util"`
	AvgReqSz  number `json:"avgReqSz"`

	ReadLatency     number `json:"readLatency"`
	WriteLatency    number `json:"writeLatency"`
	ReadThroughput  number `json:"readThroughput"`
	WriteThroughput number `json:"writeThroughput"`
	QueueDepth      number `json:"diskQueueDepth"`
}
