package arenadebug

import (
	"bytes"
	_ "embed"
	"fmt"
	"html/template"
	"strings"
	"sync"
	"time"
)

// A view is a Page for people.
type view struct {
	*Page
	Order      string
	AllowTrack bool
}

//go:embed page.html
var pageHTML string

// pageTemplate is parsed when the page is asked for: most programs that import the package have no
// page.
var pageTemplate = sync.OnceValue(func() *template.Template { return template.Must(template.New("page").Parse(pageHTML)) })

func writeHTML(b *bytes.Buffer, v *view) error { return pageTemplate().Execute(b, v) }

func writeText(b *bytes.Buffer, v *view) error {
	fmt.Fprintf(b, "%s\n", v.Summary())
	if v.Arenas == 0 {
		fmt.Fprintf(b, "\n%s\n", v.Hint())
	}
	for _, s := range v.Sites {
		fmt.Fprintf(b, "\n%s: %d bytes, oldest %s, %s\n", count(int64(s.Count), "arena"), s.Reserved, v.Age(s), v.Title(s))
		for _, t := range s.Types {
			fmt.Fprintf(b, "#\t%d bytes in %d of %q\n", t.Bytes, t.Count, t.Name)
		}
		if s.More > 0 {
			fmt.Fprintf(b, "#\tand %s\n", count(int64(s.More), "other type"))
		}
		b.WriteString(s.Stack)
	}
	return nil
}

// Summary says what there is in all.
func (v *view) Summary() string {
	s := fmt.Sprintf("%s tracked, %s, from %s", count(int64(v.Arenas), "arena"), v.Bytes(v.Reserved), count(int64(len(v.Sites)), "place"))
	if v.Sampled > 0 {
		s += fmt.Sprintf("; %s looked through for kept values, %s found", count(v.Sampled, "arena"), count(v.Kept, "value"))
	}
	return s
}

// Hint says how to see more, if there is nothing to be seen.
func (v *view) Hint() string {
	s := "No arena in use is tracked. "
	if v.AllowTrack {
		return s + "Track one in every so many below, with a POST request that has the parameter every, or with arenadebug.Track; " +
			"arenas that are made or got from a Pool after that are listed here."
	}
	return s + "Have the program call arenadebug.Track, or set Options.Track of some arenas; or give the Handler Options.AllowTrack, and this page has a form for it."
}

// Title says whose arenas s is.
func (v *view) Title(s Site) string {
	text := "without a name"
	if s.Name != "" {
		text = fmt.Sprintf("%q", s.Name)
	}
	if s.Guarded > 0 {
		text += fmt.Sprintf(", %d in guard mode", s.Guarded)
	}
	return text
}

// Age returns the age of the oldest arena of s.
func (v *view) Age(s Site) string {
	age := max(v.Time.Sub(s.Oldest), 0)
	switch {
	case age < time.Minute:
		return age.Round(time.Millisecond).String()
	case age < 48*time.Hour:
		return age.Round(time.Second).String()
	}
	return count(int64(age/(24*time.Hour)), "day")
}

// Bytes returns n in a unit in which it is short.
func (v *view) Bytes(n int64) string {
	const units = "KMGTPE"
	if n < 1<<10 {
		return count(n, "byte")
	}
	x, i := float64(n)/(1<<10), 0
	for x >= 1023.95 && i < len(units)-1 {
		x /= 1 << 10
		i++
	}
	return fmt.Sprintf("%.1f %ciB", x, units[i])
}

// Plural returns n things.
func (v *view) Plural(n int, thing string) string { return count(int64(n), thing) }

// StackLines returns the stack of s without the indentation of a traceback.
func (v *view) StackLines(s Site) string {
	return strings.ReplaceAll(strings.TrimPrefix(s.Stack, "\t"), "\n\t", "\n")
}

func count(n int64, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}
