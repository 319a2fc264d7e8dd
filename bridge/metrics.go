package bridge

import (
	"cmp"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promauto"
)

// metrics is what a server counts for [Server.Operations]. Figures that a step changes
// are looked up when the server is made, so that counting costs some additions and no
// allocation.
type metrics struct {
	registry *prometheus.Registry

	sessions               prometheus.Gauge
	opened, steps, batches prometheus.Counter
	received, sent, shared prometheus.Counter // bytes
	wrongTokens            prometheus.Counter

	errors  *prometheus.CounterVec // by code
	refused *prometheus.CounterVec // by status
	seconds map[string]prometheus.Observer
	invalid prometheus.Observer // the time of messages that are no request
}

var latencies = prometheus.ExponentialBuckets(50e-6, 2, 20)

func newMetrics(srv *Server) *metrics {
	m := &metrics{registry: prometheus.NewRegistry(), seconds: map[string]prometheus.Observer{}}
	add := promauto.With(m.registry)
	count := func(name, help string) prometheus.Counter {
		return add.NewCounter(prometheus.CounterOpts{Name: name, Help: help})
	}
	countBy := func(name, help, label string) *prometheus.CounterVec {
		return add.NewCounterVec(prometheus.CounterOpts{Name: name, Help: help}, []string{label})
	}
	gauge := func(name, help string, value func() float64) {
		add.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help}, value)
	}
	m.sessions = add.NewGauge(prometheus.GaugeOpts{Name: "pommego_connections", Help: "Connections that are open."})
	gauge("pommego_environments", "Environments that exist.", func() float64 { return float64(len(srv.gallery.list())) })
	gauge("pommego_games", "Games of all environments, those of simulations included.",
		func() float64 { return float64(srv.games.Load()) })
	gauge("pommego_memory_bytes", "Bytes of the memory budget that are taken.",
		func() float64 { return float64(srv.memory.taken()) })
	gauge("pommego_memory_limit_bytes", "The memory budget.",
		func() float64 { return float64(srv.cfg.MaxMemoryBytes) })
	gauge("pommego_ready", "1 if new connections are taken.", func() float64 {
		if srv.unready() != "" {
			return 0
		}
		return 1
	})

	m.opened = count("pommego_connections_total", "Connections that were opened.")
	m.refused = countBy("pommego_refused_total", "Connections that were refused, by HTTP status.", "status")
	m.wrongTokens = count("pommego_wrong_tokens_total", "Requests with a wrong token.")
	m.steps = count("pommego_steps_total", "Steps of games: one for each game of each request that steps it.")
	m.batches = count("pommego_batches_total", "Batches that were written.")
	m.errors = countBy("pommego_errors_total", "Error replies and faults, by code.", "code")
	for _, code := range []errorCode{codeGamePanic, codeInternal, codeLimit} { // at 0, so that the first shows as a rise
		m.errors.WithLabelValues(string(code))
	}
	for _, status := range []string{"401", "403", "404", "429", "503"} {
		m.refused.WithLabelValues(status)
	}
	bytes := countBy("pommego_bytes_total",
		"Bytes of requests received, of replies sent, and of batches left in shared memory.", "way")
	m.received, m.sent, m.shared = bytes.WithLabelValues("received"), bytes.WithLabelValues("sent"),
		bytes.WithLabelValues("shared")

	seconds := add.NewHistogramVec(prometheus.HistogramOpts{
		Name: "pommego_request_seconds", Help: "Time from a request's turn to its reply, by type.", Buckets: latencies,
	}, []string{"request"})
	for name := range requests {
		m.seconds[name] = seconds.WithLabelValues(name)
	}
	m.invalid = seconds.WithLabelValues("invalid")

	info := add.NewGaugeVec(prometheus.GaugeOpts{Name: "pommego_info", Help: "1, with the server's version."},
		[]string{"version"})
	info.WithLabelValues(srv.cfg.Version).Set(1)
	m.registry.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return m
}

// answered counts a request by its type, and the batch if the answer has one.
func (m *metrics) answered(request string, took time.Duration, batch bool) {
	cmp.Or(m.seconds[request], m.invalid).Observe(took.Seconds())
	if batch {
		m.batches.Inc()
	}
}

func (m *metrics) failed(e *wireError) *wireError {
	m.errors.WithLabelValues(string(e.Code)).Inc()
	return e
}
