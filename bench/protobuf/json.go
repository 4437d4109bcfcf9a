package protobuf

import (
	"bytes"
	stdjson "encoding/json"
	"fmt"
	"math/rand/v2"
	"runtime"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/arenapb"
	"github.com/arena-go/arena/bench/internal/suite"
	"github.com/arena-go/arena/bench/protobuf/messages"
	logspb "go.opentelemetry.io/proto/slim/otlp/collector/logs/v1"
	metricspb "go.opentelemetry.io/proto/slim/otlp/collector/metrics/v1"
	tracepb "go.opentelemetry.io/proto/slim/otlp/collector/trace/v1"
	common "go.opentelemetry.io/proto/slim/otlp/common/v1"
	logs1 "go.opentelemetry.io/proto/slim/otlp/logs/v1"
	metrics1 "go.opentelemetry.io/proto/slim/otlp/metrics/v1"
	resource "go.opentelemetry.io/proto/slim/otlp/resource/v1"
	trace1 "go.opentelemetry.io/proto/slim/otlp/trace/v1"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/timestamppb"
)

const aboutJSON = ` A process with one processor and 48 MB of live memory decodes so many documents in a round, is done with each at once, and does nothing else; ` +
	`what it decodes is compared with what protojson.Unmarshal makes.`

// A text is a message in JSON, and how to make one of its type.
type text struct {
	name, title, about string
	n                  int // How many are decoded in a round.
	quick              bool
	message            func() proto.Message
	inArena            func(a *arena.Arena) proto.Message
}

var jsonTexts = []text{
	{name: "traces", title: "100 spans", n: 20, quick: true, about: "A request of OTLP/JSON with 100 spans of a service, with attributes and events.",
		message: func() proto.Message { return spans(rng(1), 100) }, inArena: newIn[tracepb.ExportTraceServiceRequest]},
	{name: "logs", title: "100 log records", n: 20, about: "A request of OTLP/JSON with 100 log records.",
		message: func() proto.Message { return logRecords(rng(2), 100) }, inArena: newIn[logspb.ExportLogsServiceRequest]},
	{name: "metrics", title: "100 data points", n: 20, about: "A request of OTLP/JSON with 20 metrics of five data points each: gauges, sums and histograms.",
		message: func() proto.Message { return dataPoints(rng(3), 20) }, inArena: newIn[metricspb.ExportMetricsServiceRequest]},
	{name: "order", title: "an order", n: 500, quick: true, about: "An order of three things.",
		message: func() proto.Message { return order(rng(4)) }, inArena: newIn[messages.Order]},
	{name: "descriptor", title: "a file descriptor", n: 20, about: "The descriptor of the file that describes descriptors.",
		message: func() proto.Message { return descriptor() }, inArena: newIn[messages.FileDescriptorProto]},
}

func newIn[M any, P interface {
	*M
	proto.Message
}](a *arena.Arena) proto.Message {
	return arenapb.New[M, P](a)
}

// A jsonDecoder is how a program decodes JSON that it is done with soon.
type jsonDecoder struct {
	name string
	open func(t *text) func(b []byte, use func(proto.Message))
}

var jsonDecoders = []jsonDecoder{
	{"protojson.Unmarshal", func(t *text) func([]byte, func(proto.Message)) {
		return func(b []byte, use func(proto.Message)) {
			m := t.inArena(nil)
			check(protojson.Unmarshal(b, m))
			give(m, use)
		}
	}},
	{"arenapb-reset", func(t *text) func([]byte, func(proto.Message)) { return t.reset(arenapb.UnmarshalJSONOptions{}) }},
	{"arenapb-alias", func(t *text) func([]byte, func(proto.Message)) {
		return t.reset(arenapb.UnmarshalJSONOptions{AliasInput: true})
	}},
	{"arenapb-pool", func(t *text) func([]byte, func(proto.Message)) {
		var p arena.Pool
		return func(b []byte, use func(proto.Message)) {
			a := p.Get()
			m := t.inArena(a)
			check(arenapb.UnmarshalJSON(a, b, m))
			give(m, use)
			p.Put(a)
		}
	}},
	{"arenapb-free", func(t *text) func([]byte, func(proto.Message)) {
		return func(b []byte, use func(proto.Message)) {
			a := arena.NewArena()
			m := t.inArena(a)
			check(arenapb.UnmarshalJSON(a, b, m))
			give(m, use)
			a.Free()
		}
	}},
	{"arenapb-nil", func(t *text) func([]byte, func(proto.Message)) {
		return func(b []byte, use func(proto.Message)) {
			m := t.inArena(nil)
			check(arenapb.UnmarshalJSON(nil, b, m))
			give(m, use)
		}
	}},
}

func (t *text) reset(o arenapb.UnmarshalJSONOptions) func(b []byte, use func(proto.Message)) {
	a := arena.NewArena()
	return func(b []byte, use func(proto.Message)) {
		m := t.inArena(a)
		check(o.Unmarshal(a, b, m))
		give(m, use)
		a.Reset()
	}
}

// jsonWorkloads returns the decoding of JSON.
func jsonWorkloads() (all []suite.Workload) {
	for i := range jsonTexts {
		t := &jsonTexts[i]
		size := len(t.encoded())
		w := suite.Workload{
			Name: "protojson-" + t.name, Title: fmt.Sprintf("Protobuf in JSON: %s, %.1f kB", t.title, float64(size)/1000), About: t.about + aboutJSON,
			Unit: "documents", Sizes: []int{t.n}, Longer: 3, Environment: []string{"GOMAXPROCS=1"},
		}
		if t.quick {
			w.Quick = w.Sizes
		}
		for _, d := range jsonDecoders {
			w.Implementations = append(w.Implementations, suite.Implementation{Name: d.name, Open: func(n int) func() uint64 { return t.open(d, n) }})
		}
		all = append(all, w)
	}
	return all
}

// encoded returns the text, without white space: protojson has some at random.
func (t *text) encoded() []byte {
	var b bytes.Buffer
	check(stdjson.Compact(&b, must(protojson.Marshal(t.message()))))
	return b.Bytes()
}

// open returns the Open of a decoder.
func (t *text) open(d jsonDecoder, n int) func() uint64 {
	b, decode := t.encoded(), d.open(t)
	var sum uint64
	for range 2 { // The second time in memory that others have used.
		decode(b, func(m proto.Message) { sum = digestOf(sum, t.inArena(nil), m) })
	}
	ballast := make([]byte, 48<<20)
	return func() uint64 {
		for range n {
			decode(b, nil)
		}
		runtime.KeepAlive(ballast)
		return sum
	}
}

func resourceOf(r *rand.Rand) *resource.Resource {
	return &resource.Resource{Attributes: []*common.KeyValue{
		otlpText("service.name", "checkout"), otlpText("service.version", "1.14.2"), otlpText("host.name", fmt.Sprint("checkout-", r.IntN(1000))),
		otlpText("cloud.region", "eu-central-1"), otlpText("telemetry.sdk.language", "go"),
	}}
}

func otlpText(key, value string) *common.KeyValue {
	return &common.KeyValue{Key: key, Value: &common.AnyValue{Value: &common.AnyValue_StringValue{StringValue: value}}}
}

func otlpNumber(key string, value int64) *common.KeyValue {
	return &common.KeyValue{Key: key, Value: &common.AnyValue{Value: &common.AnyValue_IntValue{IntValue: value}}}
}

var scope = &common.InstrumentationScope{Name: "example.com/checkout/handlers", Version: "1.14.2"}

const someTime = 1_700_000_000_000_000_000

// spans returns a request with n spans.
func spans(r *rand.Rand, n int) *tracepb.ExportTraceServiceRequest {
	s := &trace1.ScopeSpans{Scope: scope}
	for i := range n {
		start := someTime + uint64(i)*1_234_567
		span := &trace1.Span{
			TraceId: randomBytes(r, 16), SpanId: randomBytes(r, 8), ParentSpanId: randomBytes(r, 8), Flags: 257,
			Name: "POST /api/v1/orders/{id}", Kind: trace1.Span_SPAN_KIND_SERVER, StartTimeUnixNano: start, EndTimeUnixNano: start + r.Uint64N(1e9),
			Attributes: []*common.KeyValue{
				otlpText("http.request.method", []string{"GET", "POST", "PUT"}[r.IntN(3)]), otlpText("url.path", fmt.Sprint("/api/v1/orders/", r.IntN(100000))),
				otlpNumber("http.response.status_code", int64(200+r.IntN(300))), otlpText("user_agent.original", "Mozilla/5.0 (X11; Linux x86_64) Gecko/20100101 Firefox/121.0"),
				otlpText("server.address", "checkout.example.com"), otlpNumber("server.port", 443), otlpText("network.protocol.version", "1.1"),
			},
			Status: &trace1.Status{},
		}
		if i%4 == 0 {
			span.Events = []*trace1.Span_Event{{TimeUnixNano: start + 1000, Name: "cache miss", Attributes: []*common.KeyValue{otlpText("cache.key", fmt.Sprint("order-", i))}}}
		}
		s.Spans = append(s.Spans, span)
	}
	return &tracepb.ExportTraceServiceRequest{ResourceSpans: []*trace1.ResourceSpans{{Resource: resourceOf(r), ScopeSpans: []*trace1.ScopeSpans{s}}}}
}

// logRecords returns a request with n log records.
func logRecords(r *rand.Rand, n int) *logspb.ExportLogsServiceRequest {
	s := &logs1.ScopeLogs{Scope: scope}
	for i := range n {
		at := someTime + uint64(i)*1_234_567
		s.LogRecords = append(s.LogRecords, &logs1.LogRecord{
			TimeUnixNano: at, ObservedTimeUnixNano: at + 1000, SeverityNumber: logs1.SeverityNumber(1 + r.IntN(20)), SeverityText: "INFO",
			Body:       otlpText("", fmt.Sprintf("request %d for /api/v1/orders/%d has been answered, said \"%s\"", i, r.IntN(100000), "thank you")).Value,
			Attributes: []*common.KeyValue{otlpText("http.request.method", "GET"), otlpNumber("http.response.status_code", 200), otlpText("code.function", "handleOrder")},
			TraceId:    randomBytes(r, 16), SpanId: randomBytes(r, 8),
		})
	}
	return &logspb.ExportLogsServiceRequest{ResourceLogs: []*logs1.ResourceLogs{{Resource: resourceOf(r), ScopeLogs: []*logs1.ScopeLogs{s}}}}
}

// dataPoints returns a request with n metrics of five data points each.
func dataPoints(r *rand.Rand, n int) *metricspb.ExportMetricsServiceRequest {
	s := &metrics1.ScopeMetrics{Scope: scope}
	for i := range n {
		m := &metrics1.Metric{Name: fmt.Sprintf("http.server.request.duration.%d", i), Description: "Duration of requests", Unit: "s"}
		var numbers []*metrics1.NumberDataPoint
		var histograms []*metrics1.HistogramDataPoint
		for j := range 5 {
			attributes := []*common.KeyValue{otlpText("http.request.method", "GET"), otlpText("http.route", fmt.Sprintf("/api/v%d/orders", j)), otlpNumber("http.response.status_code", 200)}
			numbers = append(numbers, &metrics1.NumberDataPoint{Attributes: attributes, StartTimeUnixNano: someTime, TimeUnixNano: someTime + 60e9, Value: &metrics1.NumberDataPoint_AsDouble{AsDouble: r.NormFloat64()}})
			h := &metrics1.HistogramDataPoint{Attributes: attributes, StartTimeUnixNano: someTime, TimeUnixNano: someTime + 60e9, Count: r.Uint64N(10000), Sum: proto.Float64(r.Float64() * 100)}
			for k := range 14 {
				h.ExplicitBounds = append(h.ExplicitBounds, 0.005*float64(int(1)<<k))
				h.BucketCounts = append(h.BucketCounts, r.Uint64N(1000))
			}
			histograms = append(histograms, h)
		}
		switch i % 3 {
		case 0:
			m.Data = &metrics1.Metric_Gauge{Gauge: &metrics1.Gauge{DataPoints: numbers}}
		case 1:
			m.Data = &metrics1.Metric_Sum{Sum: &metrics1.Sum{DataPoints: numbers, AggregationTemporality: metrics1.AggregationTemporality_AGGREGATION_TEMPORALITY_CUMULATIVE, IsMonotonic: true}}
		case 2:
			m.Data = &metrics1.Metric_Histogram{Histogram: &metrics1.Histogram{DataPoints: histograms, AggregationTemporality: metrics1.AggregationTemporality_AGGREGATION_TEMPORALITY_DELTA}}
		}
		s.Metrics = append(s.Metrics, m)
	}
	return &metricspb.ExportMetricsServiceRequest{ResourceMetrics: []*metrics1.ResourceMetrics{{Resource: resourceOf(r), ScopeMetrics: []*metrics1.ScopeMetrics{s}}}}
}

// order returns an order of three things.
func order(r *rand.Rand) *messages.Order {
	o := &messages.Order{
		Id: fmt.Sprintf("ord_%016x", r.Uint64()), CreatedAt: &timestamppb.Timestamp{Seconds: 1_700_000_000, Nanos: 123_000_000}, Status: messages.OrderStatus_ORDER_STATUS_PAID,
		Customer: &messages.Customer{
			Id: 8_400_123_456_789, Name: "Zo\u00eb M\u00fcller", Email: "zoe.mueller@example.com", Contact: &messages.Customer_Phone{Phone: "+49 30 1234567"},
			Address: &messages.Address{Street: "Unter den Linden 77", City: "Berlin", PostalCode: "10117", CountryCode: "DE"},
		},
		Total: &messages.Money{CurrencyCode: "EUR", Units: 140, Nanos: 970_000_000}, Labels: map[string]string{"channel": "web", "campaign": "autumn"}, Note: proto.String("please ring \"twice\""),
	}
	for i := range 3 {
		o.Items = append(o.Items, &messages.Item{
			Sku: fmt.Sprintf("SKU-%05d", r.IntN(100000)), Name: []string{"Espresso beans, 1 kg", "Cup, porcelain", "Grinder"}[i], Quantity: int32(1 + r.IntN(4)),
			Price: &messages.Money{CurrencyCode: "EUR", Units: int64(5 + r.IntN(90)), Nanos: 990_000_000}, Weight: 0.25 * float64(1+r.IntN(20)), Tags: []string{"kitchen", "gift"},
		})
	}
	return o
}
