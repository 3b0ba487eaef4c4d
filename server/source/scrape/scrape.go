// Package scrape fetches and parses pages in the Prometheus text format for the
// sources that read them. It knows no metric.
package scrape

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"slices"
	"strings"
	"time"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
)

// maxPage bounds a page: a wrong URL may name anything.
const maxPage = 32 << 20

// Client scrapes one URL. It is not for concurrent use.
type Client struct {
	url       *url.URL
	transport *http.Transport
	reached   bool
}

// New returns a client for an http or https URL; a user and password in it are
// sent, and never shown.
func New(rawURL string) (*Client, error) {
	u, err := url.Parse(rawURL)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, errors.New("the address to scrape must be like http://10.0.0.5:9100/metrics")
	}
	return &Client{url: u, transport: &http.Transport{
		Proxy:               http.ProxyFromEnvironment,
		MaxIdleConnsPerHost: 1,
		IdleConnTimeout:     time.Minute,
		ForceAttemptHTTP2:   true,
	}}, nil
}

// Close drops the kept connection.
func (c *Client) Close() error {
	c.transport.CloseIdleConnections()
	return nil
}

// Reached reports whether the last Get had a connection to the other side.
func (c *Client) Reached() bool { return c.reached }

// Page is one parsed answer.
type Page struct {
	// At is when the answer began to arrive; it has a monotonic reading.
	At       time.Time
	families map[string]*dto.MetricFamily
}

// Family returns the series of a metric, or nil.
func (p Page) Family(name string) []*dto.Metric { return p.families[name].GetMetric() }

// Histograms lists the names of the page's histograms, sorted.
func (p Page) Histograms() []string {
	var names []string
	for name, f := range p.families {
		if f.GetType() == dto.MetricType_HISTOGRAM {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// Label returns the value of a label, or "".
func Label(m *dto.Metric, name string) string {
	for _, l := range m.GetLabel() {
		if l.GetName() == name {
			return l.GetValue()
		}
	}
	return ""
}

// Number returns the value of a counter, gauge or untyped series.
func Number(m *dto.Metric) float64 {
	switch {
	case m.Counter != nil:
		return m.Counter.GetValue()
	case m.Gauge != nil:
		return m.Gauge.GetValue()
	default:
		return m.Untyped.GetValue()
	}
}

// StatusError is an answer that is not 200.
type StatusError struct {
	Code int
	Text string // status line and the begin of the body
}

func (e *StatusError) Error() string { return "answered " + e.Text }

// Get scrapes once; query is added to the URL's own. The error is a sentence
// that names the host and no secret.
func (c *Client) Get(ctx context.Context, query url.Values) (Page, error) {
	c.reached = false
	u := *c.url
	if len(query) > 0 {
		all := u.Query()
		for k, v := range query {
			all[k] = v
		}
		u.RawQuery = all.Encode()
	}
	var page Page
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		GotConn: func(httptrace.GotConnInfo) { c.reached = true },
	})
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return page, fmt.Errorf("%s: %w", c.url.Host, err)
	}
	req.Header.Set("Accept", "text/plain;version=0.0.4")
	resp, err := c.transport.RoundTrip(c.authorized(req))
	if err != nil {
		return page, c.failure(ctx, err)
	}
	defer resp.Body.Close()
	page.At = time.Now()
	if resp.StatusCode != http.StatusOK {
		body, _ := io.ReadAll(io.LimitReader(resp.Body, 200))
		return page, fmt.Errorf("%s %w", c.url.Host, &StatusError{resp.StatusCode, strings.TrimSpace(resp.Status + " " + strings.Join(strings.Fields(string(body)), " "))})
	}
	parser := expfmt.NewTextParser(model.UTF8Validation)
	page.families, err = parser.TextToMetricFamilies(io.LimitReader(resp.Body, maxPage))
	if ctx.Err() != nil {
		return page, c.failure(ctx, ctx.Err())
	}
	if err != nil {
		return page, fmt.Errorf("%s answered something that is no Prometheus text page: %w", c.url.Host, err)
	}
	return page, nil
}

func (c *Client) authorized(req *http.Request) *http.Request {
	if u := c.url.User; u != nil {
		password, _ := u.Password()
		req.SetBasicAuth(u.Username(), password)
	}
	return req
}

// failure puts a failed request into words.
func (c *Client) failure(ctx context.Context, err error) error {
	switch {
	case errors.Is(ctx.Err(), context.DeadlineExceeded) && c.reached:
		return fmt.Errorf("%s took the request and did not answer in time: %w", c.url.Host, context.DeadlineExceeded)
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return fmt.Errorf("no connection to %s in time: %w", c.url.Host, context.DeadlineExceeded)
	case errors.Is(err, io.EOF):
		return fmt.Errorf("%s closed the connection without an answer: %w", c.url.Host, err)
	}
	return fmt.Errorf("%s: %w", c.url.Host, err)
}
