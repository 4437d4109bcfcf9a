package main

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A name is the name of an application, with labels, as in name=app{env=prod,zone=a}.
type name struct {
	app    string
	labels map[string]string
}

// parseName parses a name. Its error is of the client.
func parseName(text string) (name, error) {
	n := name{labels: map[string]string{}}
	if len(text) > 512 || !utf8.ValidString(text) || strings.ContainsFunc(text, unicode.IsControl) {
		return n, errors.New("a name must be valid UTF-8 of at most 512 bytes, without control characters")
	}
	app, rest, labelled := strings.Cut(text, "{")
	n.app = strings.TrimSpace(app)
	if n.app == "" || strings.ContainsAny(n.app, `}=,"`) {
		return n, fmt.Errorf("%q is not the name of an application; use name=app or name=app{key=value,...}", text)
	}
	if !labelled {
		return n, nil
	}
	body, ok := strings.CutSuffix(strings.TrimSpace(rest), "}")
	if !ok {
		return n, fmt.Errorf("the labels of %q do not end with }", text)
	}
	for pair := range strings.SplitSeq(body, ",") {
		if strings.TrimSpace(pair) == "" {
			continue
		}
		key, value, ok := strings.Cut(pair, "=")
		key, value = strings.TrimSpace(key), strings.Trim(strings.TrimSpace(value), `"`)
		if _, twice := n.labels[key]; !ok || key == "" || twice || strings.ContainsAny(key+value, `{}"=`) {
			return n, fmt.Errorf("%q in %q is not key=value, or there twice", pair, text)
		}
		n.labels[key] = value
	}
	return n, nil
}

// String returns the name in its one form: with the labels in order.
func (n name) String() string {
	if len(n.labels) == 0 {
		return n.app
	}
	var pairs []string
	for _, key := range slices.Sorted(maps.Keys(n.labels)) {
		pairs = append(pairs, key+"="+n.labels[key])
	}
	return n.app + "{" + strings.Join(pairs, ",") + "}"
}

// selects reports whether other has the application and all labels of n.
func (n name) selects(other name) bool {
	if n.app != other.app {
		return false
	}
	for key, value := range n.labels {
		if v, ok := other.labels[key]; !ok || v != value {
			return false
		}
	}
	return true
}
