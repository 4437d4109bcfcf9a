package arenapb

import (
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
)

// A Resolver that looks elsewhere may fail, and not fail when it is asked again. What was refused
// because of that is no mistake of this package.

// A noting is the Resolver of a program, and notes that it has failed. The registries of package
// protoregistry do not.
type noting struct {
	protoregistry.ExtensionTypeResolver
	failed bool
}

func (n *noting) FindExtensionByNumber(message protoreflect.FullName, number protoreflect.FieldNumber) (protoreflect.ExtensionType, error) {
	xt, err := n.ExtensionTypeResolver.FindExtensionByNumber(message, number)
	n.failed = n.failed || err != nil && err != protoregistry.NotFound
	return xt, err
}

// A notingJSON is a noting for JSON, where what is not found is an error, too.
type notingJSON struct {
	resolver interface {
		protoregistry.MessageTypeResolver
		protoregistry.ExtensionTypeResolver
	}
	failed bool
}

// find notes the error of what was looked for.
func find[T any](n *notingJSON, found T, err error) (T, error) {
	n.failed = n.failed || err != nil
	return found, err
}

func (n *notingJSON) FindMessageByName(name protoreflect.FullName) (protoreflect.MessageType, error) {
	mt, err := n.resolver.FindMessageByName(name)
	return find(n, mt, err)
}

func (n *notingJSON) FindMessageByURL(url string) (protoreflect.MessageType, error) {
	mt, err := n.resolver.FindMessageByURL(url)
	return find(n, mt, err)
}

func (n *notingJSON) FindExtensionByName(name protoreflect.FullName) (protoreflect.ExtensionType, error) {
	xt, err := n.resolver.FindExtensionByName(name)
	return find(n, xt, err)
}

func (n *notingJSON) FindExtensionByNumber(message protoreflect.FullName, number protoreflect.FieldNumber) (protoreflect.ExtensionType, error) {
	xt, err := n.resolver.FindExtensionByNumber(message, number)
	return find(n, xt, err)
}
