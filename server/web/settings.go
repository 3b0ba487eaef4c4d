package web

import (
	"cmp"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"stallbook/store"
	"stallbook/views"
)

const (
	month = 30 * 24 * time.Hour
	// leastWatched is how long requests must have been counted before a month is
	// estimated from them.
	leastWatched = time.Hour

	// List prices in dollars; docs/aws.md says where they are from.
	perMetric    = 0.01 / 1000
	perIngested  = 0.50 / 1e9 // a byte of logs
	leastDocSize = 3900.0
	mostDocSize  = 11800.0
)

// settings is the page of what is kept and what it costs.
func (s *Server) settings(w http.ResponseWriter, r *http.Request) {
	var about Settings
	if s.d.Settings != nil {
		about = s.d.Settings()
	}
	v := views.Settings{NoCloud: len(about.Clouds) == 0, History: s.kept(about.Retention)}
	for _, c := range about.Clouds {
		v.Denied = append(v.Denied, denied(c)...)
		v.Use = append(v.Use, used(c)...)
		v.Monitoring = append(v.Monitoring, s.monitored(c)...)
	}
	cost := 0.0
	for _, c := range about.Clouds {
		cost += dollars(c)
	}
	switch {
	case v.NoCloud:
		v.Head, v.Sub = "What is kept here.", "Nothing that costs money is asked for."
	case len(v.Denied) > 0:
		v.Head = "AWS refuses " + plural(len(v.Denied), "action", "actions") + "; what needs them is off."
	default:
		v.Head = "AWS permits all that is asked for."
	}
	switch {
	case v.NoCloud:
	case young(about.Clouds):
		v.Sub = "What a month costs is estimated once an hour was counted. Only metrics of CloudWatch are charged for; docs/aws.md has the prices."
	default:
		v.Sub = fmt.Sprintf("Requests of this program cost about %s a month at list price. Only metrics of CloudWatch are charged for; prices are those of docs/aws.md, and yours may differ.", price(cost))
	}
	s.show(w, r, http.StatusOK, s.frame(r, "Settings and cost", "settings"), views.SettingsPage(v))
}

// young reports whether some place is counted too short to speak of a month.
func young(clouds []Cloud) bool {
	return slices.ContainsFunc(clouds, func(c Cloud) bool { return c.Over < leastWatched })
}

func denied(c Cloud) (out []views.Item) {
	for _, call := range c.Calls {
		if !call.Denied {
			continue
		}
		out = append(out, views.Item{
			Chip: &views.State{Kind: "fail", Word: "Refused"}, Title: call.Action, Aside: c.Place,
			Says: fmt.Sprintf("Off without it: %s. It concerns %s.", cmp.Or(call.Feature, "what needs it"), names(c.Refs)),
			Code: `{"Effect": "Allow", "Action": "` + call.Action + `", "Resource": "*"}`,
		})
	}
	return out
}

// names lists instances; many are counted.
func names(refs []store.Ref) string {
	const shown = 5
	var list []string
	for _, ref := range refs {
		list = append(list, ref.String())
	}
	slices.Sort(list)
	switch {
	case len(list) == 0:
		return "every instance there"
	case len(list) > shown:
		return strings.Join(list[:shown], ", ") + " and " + strconv.Itoa(len(list)-shown) + " more"
	}
	return strings.Join(list, ", ")
}

func used(c Cloud) (out []views.Item) {
	for _, call := range c.Calls {
		it := views.Item{Title: call.Action, Aside: c.Place}
		if c.Over < leastWatched {
			it.Says = plural(int(call.Requests), "request", "requests") + " so far; a month is estimated after an hour."
		} else {
			it.Says = fmt.Sprintf("%s requests a month, %s.", store.Number(aMonth(call.Requests, c.Over)), charge(call, c.Over))
		}
		if call.Throttled > 0 {
			it.Says += fmt.Sprintf(" AWS throttled %d of %d so far.", call.Throttled, call.Requests)
		}
		out = append(out, it)
	}
	return out
}

func charge(call Call, over time.Duration) string {
	if call.Metrics == 0 {
		return "free of charge"
	}
	n := aMonth(call.Metrics, over)
	return fmt.Sprintf("%s metrics, about %s", store.Number(n), price(n*perMetric))
}

func aMonth(n int64, over time.Duration) float64 {
	if over <= 0 {
		return 0
	}
	return float64(n) * float64(month) / float64(over)
}

func dollars(c Cloud) (sum float64) {
	if c.Over < leastWatched {
		return 0
	}
	for _, call := range c.Calls {
		sum += aMonth(call.Metrics, c.Over) * perMetric
	}
	return sum
}

func price(v float64) string { return fmt.Sprintf("$%.2f", v) }

// monitored says what the documents of each instance cost.
func (s *Server) monitored(c Cloud) (out []views.Item) {
	s.d.Window.Read(func(v store.View) {
		for _, ref := range c.Refs {
			in := v.Instance(ref)
			if in == nil {
				continue
			}
			f, known := in.Fact("rds.monitoring_interval_s")
			if !known {
				continue
			}
			out = append(out, monitoring(ref, f.Value))
		}
	})
	return out
}

func monitoring(ref store.Ref, interval string) views.Item {
	it := views.Item{Title: ref.String()}
	seconds, err := strconv.Atoi(interval)
	if err != nil || seconds <= 0 {
		it.Aside, it.Says = "off", "The disk is not seen second by second. Turning it on costs about $5 to $16 a month at 1 s."
		it.Code = "aws rds modify-db-instance --db-instance-identifier " + ref.Instance + " --monitoring-interval 1 --monitoring-role-arn ROLE --apply-immediately"
		return it
	}
	docs := month.Seconds() / float64(seconds)
	it.Aside = "every " + interval + " s"
	it.Says = fmt.Sprintf("%s to %s a month.", price(docs*leastDocSize*perIngested), price(docs*mostDocSize*perIngested))
	return it
}

// kept says what the history holds and for how long.
func (s *Server) kept(r store.Retention) []views.Fact {
	h := s.d.History.Health()
	state := "is kept"
	if !h.OK {
		state = "stopped: " + h.Message
	}
	out := []views.Fact{{Name: "state", Says: state}, {Name: "size now", Says: store.Quantity(float64(h.Bytes)/1024, "KiB")}}
	if r.Raw > 0 {
		out = append(out, views.Fact{Name: "every second", Says: coarse(r.Raw)})
	}
	if r.Rollup > 0 {
		out = append(out, views.Fact{Name: "every minute", Says: coarse(r.Rollup)})
	}
	if r.MaxBytes > 0 {
		out = append(out, views.Fact{Name: "size at most", Says: store.Quantity(float64(r.MaxBytes)/1024, "KiB")})
	}
	return append(out, views.Fact{Name: "lost readings", Says: strconv.FormatInt(h.Dropped, 10)})
}
