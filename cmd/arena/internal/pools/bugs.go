package main

// A bug is a mistake with a sync.Pool in an open project, in the version before its repair.
type bug struct {
	name    string
	module  string
	commit  string // the parent of the repair
	pkg     string // the directory in the module
	place   string // the file in the directory, and the line of the use, the Put, or the store that is wrong
	what    string
	fix     string // the repair
	licence string // SPDX
	found   bool   // by arena vet
	why     string // it is not found
}

// bugs are in the order in which they were repaired. Each was chosen for its repair, but for
// resty-indent, which arena vet has found beside resty-twice.
var bugs = []bug{
	{"ffjson", "github.com/pquerna/ffjson", "c24ab9baf274473906fbdba5fccb594aec4b9ff1", "fflib/v1", "buffer.go:152",
		"grow puts a buffer that it keeps if there was room in it", "https://github.com/pquerna/ffjson/pull/204", "Apache-2.0",
		false, "it is kept on one way only, and which sizes are put depends on a table"},
	{"gin", "github.com/gin-gonic/gin", "91a4459dd27a311c2b959708f328d60177fa4046", ".", "gin.go:339",
		"HandleContext puts the context of its caller, who puts it, too", "https://github.com/gin-gonic/gin/pull/1565", "MIT",
		false, "the two are connected by handlers, which are values of functions"},
	{"gojay", "github.com/francoispqt/gojay", "dd1a55db12da56074e9d4f9c9c2b69e222a130ac", ".", "encode.go:67",
		"MarshalJSONArray returns the buffer of an Encoder that it has put", "https://github.com/francoispqt/gojay/issues/83", "MIT", true, ""},
	{"go-git", "gopkg.in/src-d/go-git.v4", "37b80726760d2e0b17dfa437f3162dd930590ecf", "plumbing/format/packfile", "diff_delta.go:135",
		"diffDelta returns the bytes of a buffer that it has put", "https://github.com/src-d/go-git/pull/1159", "Apache-2.0", true, ""},
	{"go-runc", "github.com/containerd/go-runc", "a2952bc25f5116103a8b78f3817f6df759aa7def", ".", "runc.go:714",
		"cmdOutput returns the bytes of a buffer that it has put", "https://github.com/containerd/go-runc/pull/58", "Apache-2.0", true, ""},
	{"sentinel", "github.com/alibaba/sentinel-golang", "975debd7075d071473fcbcd17c3dbc3bd201a2da", "api", "api.go:121",
		"entry returns an error that is a part of a result that it puts", "https://github.com/alibaba/sentinel-golang/pull/149", "Apache-2.0",
		false, "the error is behind a pointer in a field, which may be another one"},
	{"resty-return", "github.com/go-resty/resty/v2", "d717652a514c232b698690a577a9cafda870b985", ".", "request.go:879",
		"noescapeJSONMarshal returns the bytes of a buffer that it has put", "https://github.com/go-resty/resty/pull/421", "MIT", true, ""},
	{"thanos", "github.com/thanos-io/thanos", "6723c86f3a9ba81566d6e20994a3e7ba8566be4b", "pkg/pool", "pool.go:124",
		"BucketedBytes.Put reads the capacity of a slice that it has put", "https://github.com/thanos-io/thanos/pull/4792", "Apache-2.0", true, ""},
	{"ojg", "github.com/ohler55/ojg", "b7ba48da90569f19baab81e5da076525b16a5c37", "oj", "oj.go:201",
		"Marshal returns the buffer of a Writer that it has put", "https://github.com/ohler55/ojg/pull/91", "MIT",
		false, "Put is deferred on one of the ways, and the Writer is one of two"},
	{"fasthttp-hijack", "github.com/valyala/fasthttp", "497922a21ef4b314f393887e9c6147b8c3e3eda4", ".", "server.go:2555",
		"Close puts a connection that its user has", "https://github.com/valyala/fasthttp/pull/1629", "MIT",
		false, "the user is in another program"},
	{"caddy", "github.com/caddyserver/caddy/v2", "ee358550e4235c5ce9939dc57a8927ba2cd87657", "modules/caddyhttp", "server.go:323",
		"ServeHTTP puts the body of a request that others have", "https://github.com/caddyserver/caddy/pull/5924", "Apache-2.0",
		false, "Put is deferred on one of the ways"},
	{"kratos", "github.com/go-kratos/kratos/v2", "3fc8fb7a0a0bd35f7f934cbb7ca26814cbc49132", "transport/http", "router.go:58",
		"Handle puts a context that goroutines of the handler have", "https://github.com/go-kratos/kratos/pull/3072", "MIT",
		false, "the handler is in another program"},
	{"resty-twice", "github.com/go-resty/resty/v2", "105f7185be505f070bfb19df4c3a4535058e0f84", ".", "middleware.go:484",
		"handleRequestBody puts a buffer that the body of the last try has put", "https://github.com/go-resty/resty/pull/745", "MIT",
		false, "the other Put is in a Close that net/http calls"},
	{"resty-indent", "github.com/go-resty/resty/v2", "bf77da832cbea2b5e0c9ca668cb3ae0020b50836", ".", "request.go:1092",
		"noescapeJSONMarshalIndent returns the bytes of a buffer that it has put", "https://github.com/go-resty/resty/pull/775", "MIT", true, ""},
	{"huma", "github.com/danielgtaylor/huma/v2", "5c03160baf0f60a0d2598dfe3ebcd11a822b58cb", ".", "huma.go:1339",
		"an error keeps the bytes of a buffer that is put before the error is written", "https://github.com/danielgtaylor/huma/pull/687", "MIT",
		false, "each of the steps depends on another condition"},
	{"inspektor-gadget", "github.com/inspektor-gadget/inspektor-gadget", "87d2611969963397edb54ef35c5513c1ddd97951", "pkg/datasource/formatters/json", "json.go:403",
		"Marshal returns the bytes of a buffer that it has put", "https://github.com/inspektor-gadget/inspektor-gadget/pull/4707", "Apache-2.0", true, ""},
	{"git-spice", "go.abhg.dev/gs", "225e8f8e6dc11f9078df1674ba8c43dde61afff2", "internal/graphqlutil", "error.go:83",
		"RoundTrip returns a response whose body is a buffer that it has put", "https://github.com/abhinav/git-spice/pull/921", "GPL-3.0", true, ""},
	{"fasthttp-close", "github.com/valyala/fasthttp", "60f78f517dccff9fd7df71ba945465ca72e6d7e9", ".", "client.go:3262",
		"a body puts its reader each time that it is closed", "https://github.com/valyala/fasthttp/pull/2211", "MIT",
		false, "who closes it twice is in another program"},
	{"yarpc", "go.uber.org/yarpc", "0eb25b27b33b0a22a5ce7cc7e339a551256847a3", "compressor/snappy", "snappy.go:153",
		"a reader puts itself each time that it is closed", "https://github.com/yarpc/yarpc-go/pull/2508", "MIT",
		false, "who closes it twice is in gRPC"},
}
