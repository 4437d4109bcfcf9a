// Conformance is the program that protobuf's conformance test runner tests: it decodes and encodes
// messages on requests from its standard input. It decodes the wire format and JSON into an arena,
// encodes JSON there, and resets the arena after the answer was written.
//
//	conformance_test_runner conformance [-heap]
//
// With -heap, packages proto and protojson decode and encode them. The script build.sh builds the
// runner. The tag protoopaque chooses messages in the opaque API; the tag protolegacy is needed for
// message sets.
package main

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/arenapb"
	pb "github.com/arena-go/arena/arenapb/internal/conformance/conformancepb"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/encoding/prototext"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
)

func main() {
	heap := flag.Bool("heap", false, "decode and encode with packages proto and protojson")
	flag.Parse()
	a := arena.NewArena()
	defer a.Free()
	d := codecs{
		wire: func(b []byte, m proto.Message) error { return arenapb.Unmarshal(a, b, m) },
		json: func(b []byte, m proto.Message, discard bool) error {
			return arenapb.UnmarshalJSONOptions{DiscardUnknown: discard}.Unmarshal(a, b, m)
		},
		encode: func(m proto.Message) ([]byte, error) { return arenapb.MarshalJSON(a, m) },
	}
	if *heap {
		d.wire = proto.Unmarshal
		d.json = func(b []byte, m proto.Message, discard bool) error {
			return protojson.UnmarshalOptions{DiscardUnknown: discard}.Unmarshal(b, m)
		}
		d.encode = func(m proto.Message) ([]byte, error) {
			text, err := protojson.Marshal(m)
			if err != nil {
				return nil, err
			}
			var b bytes.Buffer // without the spaces that are random
			err = json.Compact(&b, text)
			return b.Bytes(), err
		}
	}
	for {
		switch err := serve(os.Stdin, os.Stdout, d); err {
		case nil:
			a.Reset()
		case io.EOF:
			if n := arenapb.Panics(); n > 0 {
				fmt.Fprintf(os.Stderr, "conformance: %d mistakes of arenapb\n", n)
				os.Exit(1)
			}
			return
		default:
			fmt.Fprintln(os.Stderr, "conformance:", err)
			os.Exit(1)
		}
	}
}

// codecs are the decoders of the two formats, and the encoder of JSON.
type codecs struct {
	wire   func(b []byte, m proto.Message) error
	json   func(b []byte, m proto.Message, discard bool) error
	encode func(m proto.Message) ([]byte, error)
}

// serve answers one request. Both are messages after their lengths.
func serve(r io.Reader, w io.Writer, d codecs) error {
	var length [4]byte
	if _, err := io.ReadFull(r, length[:]); err != nil {
		return err // io.EOF if the runner has no more
	}
	b := make([]byte, binary.LittleEndian.Uint32(length[:]))
	if _, err := io.ReadFull(r, b); err != nil {
		return fmt.Errorf("reading a request: %w", err)
	}
	var request pb.ConformanceRequest
	if err := proto.Unmarshal(b, &request); err != nil {
		return err
	}
	b, err := proto.Marshal(answer(&request, d))
	if err != nil {
		return err
	}
	binary.LittleEndian.PutUint32(length[:], uint32(len(b)))
	_, err = w.Write(append(length[:], b...))
	return err
}

// answer decodes the payload of a request and encodes it in the format that is asked for.
func answer(request *pb.ConformanceRequest, d codecs) *pb.ConformanceResponse {
	if request.GetMessageType() == "conformance.FailureSet" {
		return &pb.ConformanceResponse{Result: &pb.ConformanceResponse_ProtobufPayload{}} // no list of failures
	}
	mt, err := protoregistry.GlobalTypes.FindMessageByName(protoreflect.FullName(request.GetMessageType()))
	if err != nil {
		return &pb.ConformanceResponse{Result: &pb.ConformanceResponse_RuntimeError{RuntimeError: err.Error()}}
	}
	m := mt.New().Interface()
	switch p := request.Payload.(type) {
	case *pb.ConformanceRequest_ProtobufPayload:
		err = d.wire(p.ProtobufPayload, m)
	case *pb.ConformanceRequest_JsonPayload:
		discard := request.TestCategory == pb.TestCategory_JSON_IGNORE_UNKNOWN_PARSING_TEST
		err = d.json([]byte(p.JsonPayload), m, discard)
	case *pb.ConformanceRequest_TextPayload:
		err = prototext.Unmarshal([]byte(p.TextPayload), m)
	default:
		return &pb.ConformanceResponse{Result: &pb.ConformanceResponse_Skipped{Skipped: "unknown kind of payload"}}
	}
	if err != nil {
		return &pb.ConformanceResponse{Result: &pb.ConformanceResponse_ParseError{ParseError: err.Error()}}
	}

	var b []byte
	var response pb.ConformanceResponse
	switch request.RequestedOutputFormat {
	case pb.WireFormat_PROTOBUF:
		b, err = proto.MarshalOptions{Deterministic: true}.Marshal(m)
		response.Result = &pb.ConformanceResponse_ProtobufPayload{ProtobufPayload: b}
	case pb.WireFormat_JSON:
		b, err = d.encode(m)
		response.Result = &pb.ConformanceResponse_JsonPayload{JsonPayload: string(b)}
	case pb.WireFormat_TEXT_FORMAT:
		b, err = prototext.MarshalOptions{EmitUnknown: request.PrintUnknownFields}.Marshal(m)
		response.Result = &pb.ConformanceResponse_TextPayload{TextPayload: string(b)}
	default:
		err = errors.New("unknown output format")
	}
	if err != nil {
		response.Result = &pb.ConformanceResponse_SerializeError{SerializeError: err.Error()}
	}
	return &response
}
