package protobuf

import (
	"fmt"
	"math/rand/v2"

	"github.com/arena-go/arena/bench/protobuf/messages"
	"google.golang.org/genproto/googleapis/api/annotations"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/descriptorpb"
)

// labelled returns n objects with small maps.
func labelled(r *rand.Rand, n int) *messages.Objects {
	list := new(messages.Objects)
	for i := range n {
		o := &messages.Object{
			Name: fmt.Sprintf("checkout-%d-%05x", i/3, r.IntN(1<<20)), Namespace: "payments", Uid: fmt.Sprintf("%08x-%04x-%012x", r.Uint32(), r.IntN(1<<16), r.Uint64()>>16),
			Generation: int64(r.IntN(9)),
			Labels: map[string]string{
				"app.kubernetes.io/name": "checkout", "app.kubernetes.io/instance": fmt.Sprint("checkout-", i), "app.kubernetes.io/part-of": "shop",
				"pod-template-hash": fmt.Sprintf("%08x", r.Uint32()),
			},
			Annotations: map[string]string{"prometheus.io/scrape": "true", "prometheus.io/port": "9102"},
			Requests:    map[string]int64{"cpu": int64(r.IntN(4000)), "memory": r.Int64N(1 << 33)},
			Limits:      map[string]int64{"cpu": 4000, "memory": 1 << 33},
			Conditions:  map[string]*messages.Condition{},
			Ports:       map[int32]string{8080: "http", 9102: "metrics"},
		}
		for _, name := range []string{"Initialized", "Ready", "PodScheduled"} {
			o.Conditions[name] = &messages.Condition{Status: r.IntN(8) > 0, Since: 1_700_000_000 + int64(r.IntN(1_000_000))}
		}
		list.Items = append(list.Items, o)
	}
	return list
}

// annotated returns a file with 20 resources, and methods and messages for each, with options as
// Google's APIs have them.
func annotated() *descriptorpb.FileDescriptorSet {
	f := &descriptorpb.FileDescriptorProto{Name: proto.String("example/library/v1/library.proto"), Package: proto.String("example.library.v1"), Syntax: proto.String("proto3"), Options: new(descriptorpb.FileOptions)}
	s := &descriptorpb.ServiceDescriptorProto{Name: proto.String("Library"), Options: new(descriptorpb.ServiceOptions)}
	proto.SetExtension(s.Options, annotations.E_DefaultHost, "library.example.com")
	proto.SetExtension(s.Options, annotations.E_OauthScopes, "https://www.example.com/auth/library")
	f.Service = append(f.Service, s)
	for i := range 20 {
		name := fmt.Sprint("Resource", i)
		typ := "library.example.com/" + name
		resource := &descriptorpb.DescriptorProto{Name: proto.String(name), Options: new(descriptorpb.MessageOptions)}
		proto.SetExtension(resource.Options, annotations.E_Resource, &annotations.ResourceDescriptor{
			Type: typ, Pattern: []string{fmt.Sprintf("projects/{project}/locations/{location}/resource%ds/{resource%d}", i, i)},
		})
		f.MessageType = append(f.MessageType, resource)
		for j, field := range []string{"name", "display_name", "create_time", "update_time", "labels", "state", "description", "etag"} {
			resource.Field = append(resource.Field, fieldOf(field, j+1, ""))
		}
		for _, m := range []struct {
			verb string
			rule *annotations.HttpRule
		}{
			{"Get", &annotations.HttpRule{Pattern: &annotations.HttpRule_Get{Get: fmt.Sprintf("/v1/{name=projects/*/locations/*/resource%ds/*}", i)}}},
			{"List", &annotations.HttpRule{Pattern: &annotations.HttpRule_Get{Get: fmt.Sprintf("/v1/{parent=projects/*/locations/*}/resource%ds", i)}}},
			{"Create", &annotations.HttpRule{Pattern: &annotations.HttpRule_Post{Post: fmt.Sprintf("/v1/{parent=projects/*/locations/*}/resource%ds", i)}, Body: "resource"}},
			{"Delete", &annotations.HttpRule{Pattern: &annotations.HttpRule_Delete{Delete: fmt.Sprintf("/v1/{name=projects/*/locations/*/resource%ds/*}", i)}}},
		} {
			request := "Request" + m.verb + name
			f.MessageType = append(f.MessageType, &descriptorpb.DescriptorProto{Name: &request, Field: []*descriptorpb.FieldDescriptorProto{fieldOf("name", 1, typ), fieldOf("page_token", 2, "")}})
			method := &descriptorpb.MethodDescriptorProto{
				Name: proto.String(m.verb + name), InputType: proto.String(".example.library.v1." + request), OutputType: proto.String(".example.library.v1." + name), Options: new(descriptorpb.MethodOptions),
			}
			proto.SetExtension(method.Options, annotations.E_Http, m.rule)
			proto.SetExtension(method.Options, annotations.E_MethodSignature, []string{"name"})
			s.Method = append(s.Method, method)
		}
	}
	return &descriptorpb.FileDescriptorSet{File: []*descriptorpb.FileDescriptorProto{f}}
}

// fieldOf returns a field with options. It refers to a resource unless that is "".
func fieldOf(name string, number int, resource string) *descriptorpb.FieldDescriptorProto {
	o := new(descriptorpb.FieldOptions)
	if resource != "" {
		proto.SetExtension(o, annotations.E_FieldBehavior, []annotations.FieldBehavior{annotations.FieldBehavior_REQUIRED})
		proto.SetExtension(o, annotations.E_ResourceReference, &annotations.ResourceReference{Type: resource})
	} else if number%2 == 0 {
		proto.SetExtension(o, annotations.E_FieldBehavior, []annotations.FieldBehavior{annotations.FieldBehavior_OPTIONAL})
	} else {
		o = nil
	}
	return &descriptorpb.FieldDescriptorProto{
		Name: &name, Number: proto.Int32(int32(number)), Type: descriptorpb.FieldDescriptorProto_TYPE_STRING.Enum(), Label: descriptorpb.FieldDescriptorProto_LABEL_OPTIONAL.Enum(), Options: o,
	}
}
