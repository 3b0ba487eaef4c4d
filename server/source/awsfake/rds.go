package awsfake

import (
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/rds"
	"github.com/aws/aws-sdk-go-v2/service/rds/types"
)

// SetInstances replaces the instances that exist.
func (s *Server) SetInstances(list ...types.DBInstance) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.instances = slices.Clone(list)
}

// AddEvents appends to what DescribeEvents tells.
func (s *Server) AddEvents(list ...types.Event) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.events = append(s.events, list...)
}

// SetParameters replaces the parameters of one group, which exists from then on.
func (s *Server) SetParameters(group string, list ...types.Parameter) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.parameters[group] = slices.Clone(list)
}

// page cuts one page out of a list by the request's MaxRecords and Marker.
func page[T any](s *Server, c Call, list []T) (part []T, marker *string) {
	from, _ := strconv.Atoi(c.Text("Marker"))
	size := s.PageRecords
	if n, err := strconv.Atoi(c.Text("MaxRecords")); err == nil {
		size = min(size, n)
	}
	from = min(from, len(list))
	if c.empty {
		return nil, aws.String(strconv.Itoa(from))
	}
	to := min(from+size, len(list))
	if to < len(list) {
		marker = aws.String(strconv.Itoa(to))
	}
	return list[from:to], marker
}

// filters reads Filters.Filter.N.Name and its values.
func filters(c Call) map[string][]string {
	out := map[string][]string{}
	for key := range c.Form {
		prefix, ok := strings.CutSuffix(key, ".Name")
		if !ok || !strings.HasPrefix(prefix, "Filters.") {
			continue
		}
		for other, values := range c.Form {
			if strings.HasPrefix(other, prefix+".Values.") {
				out[c.Form.Get(key)] = append(out[c.Form.Get(key)], values...)
			}
		}
	}
	return out
}

func (s *Server) describeInstances(c Call) answer {
	var found []types.DBInstance
	id, by := c.Text("DBInstanceIdentifier"), filters(c)
	for _, in := range s.instances {
		switch {
		case id != "" && !strings.EqualFold(id, aws.ToString(in.DBInstanceIdentifier)):
		case by["db-cluster-id"] != nil && !slices.Contains(by["db-cluster-id"], aws.ToString(in.DBClusterIdentifier)):
		case by["db-instance-id"] != nil && !slices.Contains(by["db-instance-id"], aws.ToString(in.DBInstanceIdentifier)):
		case by["dbi-resource-id"] != nil && !slices.Contains(by["dbi-resource-id"], aws.ToString(in.DbiResourceId)):
		default:
			found = append(found, in)
		}
	}
	if id != "" && len(found) == 0 {
		return failure(http.StatusNotFound, "DBInstanceNotFound", "DBInstance "+id+" not found.")
	}
	part, marker := page(s, c, found)
	return answer{xml: &rds.DescribeDBInstancesOutput{DBInstances: part, Marker: marker}}
}

func (s *Server) describeEvents(c Call) answer {
	from, to := c.At.Add(-time.Hour), c.At
	if minutes, err := strconv.Atoi(c.Text("Duration")); err == nil {
		from = c.At.Add(-time.Duration(minutes) * time.Minute)
	}
	if t, err := time.Parse(time.RFC3339Nano, c.Text("StartTime")); err == nil {
		from = t
	}
	if t, err := time.Parse(time.RFC3339Nano, c.Text("EndTime")); err == nil {
		to = t
	}
	var found []types.Event
	for _, e := range s.events {
		at := aws.ToTime(e.Date)
		id, kind := c.Text("SourceIdentifier"), c.Text("SourceType")
		if at.Before(from) || at.After(to) || id != "" && id != aws.ToString(e.SourceIdentifier) || kind != "" && kind != string(e.SourceType) {
			continue
		}
		found = append(found, e)
	}
	part, marker := page(s, c, found)
	return answer{xml: &rds.DescribeEventsOutput{Events: part, Marker: marker}}
}

func (s *Server) describeParameters(c Call) answer {
	group := c.Text("DBParameterGroupName")
	list, ok := s.parameters[group]
	if !ok {
		return failure(http.StatusNotFound, "DBParameterGroupNotFound", "DBParameterGroup not found: "+group)
	}
	if src := c.Text("Source"); src != "" {
		list = slices.DeleteFunc(slices.Clone(list), func(p types.Parameter) bool { return aws.ToString(p.Source) != src })
	}
	part, marker := page(s, c, list)
	return answer{xml: &rds.DescribeDBParametersOutput{Parameters: part, Marker: marker}}
}
