package arenaconnect

import (
	"errors"
	"fmt"
	"mime"
	"net/http"
	"strings"

	"connectrpc.com/connect"
	"github.com/arena-go/arena"
	"github.com/arena-go/arena/arenapb"
	"google.golang.org/protobuf/proto"
)

// A format is an encoding of messages for which connect has codecs. The results and errors equal
// the results and errors of connect's codecs.
type format struct {
	name   string
	heap   func(data []byte, m proto.Message) error
	arena  func(a *arena.Arena, data []byte, m proto.Message, onPanic func(*arenapb.Panic)) error
	append func(b []byte, m proto.Message) ([]byte, error)
	empty  error // of a message without data, unless it is nil
}

// formats are the formats of the codecs of this package.
var formats = [...]format{
	{"proto", proto.Unmarshal, unmarshal, proto.MarshalOptions{}.MarshalAppend, nil},
	{"json", jsonOnHeap, unmarshalJSON, appendJSON, errNoJSON},
	{"json; charset=utf-8", jsonOnHeap, unmarshalJSON, appendJSON, errNoJSON},
}

var errNoJSON = errors.New("zero-length payload is not a valid JSON object")

// unmarshal decodes a copy of data.
func unmarshal(a *arena.Arena, data []byte, m proto.Message, onPanic func(*arenapb.Panic)) error {
	b := arena.MakeSlice[byte](a, len(data), len(data))
	copy(b, data)
	return arenapb.UnmarshalOptions{AliasInput: true, OnPanic: onPanic}.Unmarshal(a, b, m)
}

func unmarshalJSON(a *arena.Arena, data []byte, m proto.Message, onPanic func(*arenapb.Panic)) error {
	return arenapb.UnmarshalJSONOptions{DiscardUnknown: true, OnPanic: onPanic}.Unmarshal(a, data, m)
}

func jsonOnHeap(data []byte, m proto.Message) error { return unmarshalJSON(nil, data, m, nil) }

func appendJSON(b []byte, m proto.Message) ([]byte, error) {
	return arenapb.MarshalJSONOptions{}.MarshalAppend(nil, b, m)
}

// onHeap decodes as connect's codec does.
func (f *format) onHeap(data []byte, m proto.Message) error {
	if err := f.heap(data, m); err != nil {
		return fmt.Errorf("unmarshal into %T: %w", m, err)
	}
	return nil
}

// formatOf returns which of formats the messages of a call have, or -1.
func formatOf(method string, h http.Header, p connect.Peer) int {
	if method == http.MethodGet {
		return formatNamed(p.Query.Get("encoding"))
	}
	content := h.Get("Content-Type")
	if i := formatIn(content); i >= 0 {
		return i
	}
	t, params, err := mime.ParseMediaType(content) // as connect does: a client may write it with capitals
	if err != nil {
		return -1
	}
	if charset, ok := params["charset"]; ok {
		params["charset"] = strings.ToLower(charset)
	}
	return formatIn(mime.FormatMediaType(t, params))
}

// formatIn returns which format a Content-Type says.
func formatIn(content string) int {
	switch content {
	case "application/proto", "application/connect+proto",
		"application/grpc", "application/grpc+proto", "application/grpc-web", "application/grpc-web+proto":
		return 0
	case "application/json", "application/connect+json", "application/grpc+json", "application/grpc-web+json":
		return 1
	case "application/json; charset=utf-8", "application/connect+json; charset=utf-8", "application/grpc+json; charset=utf-8", "application/grpc-web+json; charset=utf-8":
		return 2
	}
	return -1
}

func formatNamed(name string) int {
	for i := range formats {
		if formats[i].name == name {
			return i
		}
	}
	return -1
}
