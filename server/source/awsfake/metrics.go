package awsfake

import (
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/aws/smithy-go/encoding/cbor"
)

// Metric names one series of CloudWatch with the statistic asked for.
type Metric struct {
	Namespace, Name, Stat string
	Dimensions            map[string]string
}

func (m Metric) key() string {
	var dims []string
	for _, name := range slices.Sorted(maps.Keys(m.Dimensions)) {
		dims = append(dims, name+"="+m.Dimensions[name])
	}
	return m.Namespace + "|" + m.Name + "|" + m.Stat + "|" + strings.Join(dims, ",")
}

// Point is one datapoint.
type Point struct {
	At time.Time
	V  float64
}

// SetMetric replaces the datapoints of one series. A series that was never set
// has none, which CloudWatch does not call an error.
func (s *Server) SetMetric(m Metric, points ...Point) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.metrics[m.key()] = slices.Clone(points)
}

// SetMetricStatus makes one series answer with another StatusCode than
// Complete: PartialData, InternalError or Forbidden.
func (s *Server) SetMetricStatus(m Metric, code string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.statuses[m.key()] = code
}

// maxQueries is how many queries AWS takes in one request.
const maxQueries = 500

func (s *Server) getMetricData(c Call) answer {
	queries, _ := c.CBOR["MetricDataQueries"].(cbor.List)
	from, errFrom := cbor.AsTime(c.CBOR["StartTime"])
	to, errTo := cbor.AsTime(c.CBOR["EndTime"])
	switch {
	case errFrom != nil || errTo != nil || !from.Before(to):
		return failure(http.StatusBadRequest, "ValidationError", "StartTime must be before EndTime")
	case len(queries) == 0 || len(queries) > maxQueries:
		return failure(http.StatusBadRequest, "ValidationError", "The collection MetricDataQueries must not have a size greater than 500.")
	}
	first := 0
	if token, ok := c.CBOR["NextToken"].(cbor.String); ok {
		first, _ = strconv.Atoi(string(token))
	}
	out := cbor.Map{}
	results := cbor.List{}
	last := min(first+s.PageRecords, len(queries))
	if c.empty {
		last = first
	}
	for _, q := range queries[first:last] {
		m, _ := q.(cbor.Map)
		results = append(results, s.result(m, from, to, c.CBOR["ScanBy"] == cbor.String("TimestampAscending")))
	}
	out["MetricDataResults"] = results
	if last < len(queries) {
		out["NextToken"] = cbor.String(strconv.Itoa(last))
	}
	return answer{cbor: out}
}

func (s *Server) result(q cbor.Map, from, to time.Time, ascending bool) cbor.Map {
	stat, _ := q["MetricStat"].(cbor.Map)
	key := metricOf(stat).key()
	points := slices.Clone(s.metrics[key])
	slices.SortFunc(points, func(a, b Point) int { return a.At.Compare(b.At) })
	if !ascending {
		slices.Reverse(points)
	}
	values, times := cbor.List{}, cbor.List{}
	for _, p := range points {
		if !p.At.Before(from) && p.At.Before(to) {
			values = append(values, cbor.Float64(p.V))
			times = append(times, &cbor.Tag{ID: 1, Value: cbor.Float64(float64(p.At.UnixMilli()) / 1000)})
		}
	}
	code := "Complete"
	if set, ok := s.statuses[key]; ok {
		code = set
	}
	return cbor.Map{"Id": q["Id"], "Label": cbor.String(text(stat, "Metric", "MetricName")), "StatusCode": cbor.String(code), "Values": values, "Timestamps": times}
}

func metricOf(stat cbor.Map) Metric {
	m := Metric{Namespace: text(stat, "Metric", "Namespace"), Name: text(stat, "Metric", "MetricName"), Stat: text(stat, "Stat"), Dimensions: map[string]string{}}
	metric, _ := stat["Metric"].(cbor.Map)
	dims, _ := metric["Dimensions"].(cbor.List)
	for _, d := range dims {
		dim, _ := d.(cbor.Map)
		m.Dimensions[text(dim, "Name")] = text(dim, "Value")
	}
	return m
}

// text walks into nested maps; "" when something on the way is absent.
func text(m cbor.Map, path ...string) string {
	for _, name := range path[:len(path)-1] {
		m, _ = m[name].(cbor.Map)
	}
	v, _ := m[path[len(path)-1]].(cbor.String)
	return string(v)
}
