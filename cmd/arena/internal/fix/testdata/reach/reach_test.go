package reach

import (
	"strings"
	"sync"
	"testing"
)

func TestParse(t *testing.T) {
	for i := range 20 {
		n, err := Parse("a,b")
		if err != nil || n.Text != "a,b" || len(n.Kids) != 2 || n.Kids[1].Text != "b!" {
			t.Fatalf("%+v, %v", n, err)
		}
		for text, want := range map[string]string{"": "parse: nothing", "x,y,z": "3 kids of x,y,z", "second": "no second of second", "bad": "bad: bad!"} {
			if _, err := Parse(text); err == nil || err.Error() != want {
				t.Fatalf("%v, want %s", err, want)
			}
		}
		_, err = Parse("second")
		for range 5 {
			_, _ = Parse("other,text")
		}
		if err.Error() != "no second of second" {
			t.Fatal(err)
		}
		if all := Remembered(); len(all) != i+1 || strings.Join(all[:1], "") != "bad: bad!" || all[i] != all[0] {
			t.Fatal(all)
		}
	}
	defer func() {
		if r := recover(); r != "panic of panic" {
			t.Fatal(r)
		}
	}()
	_, _ = Parse("panic")
}

func TestTable(t *testing.T) {
	for range 20 {
		n := Table("-+one +two")
		if len(n.Kids) != 2 || n.Kids[0].Text != "one;" || n.Kids[1].Text != "two;" {
			t.Fatalf("%+v", n)
		}
		if Watched("own") != "watched!" || Watched("package") != "watched!" {
			t.Fatal("not watched")
		}
		for range 5 {
			Table("+other")
		}
		if Last() != "watched!" {
			t.Fatal(Last())
		}
	}
}

func TestPool(t *testing.T) {
	for range 50 {
		if got := Split("a,b"); got != "<a>! <b>!" {
			t.Fatal(got)
		}
		if got := Split("c"); got != "<c>!" {
			t.Fatal(got)
		}
	}
}

func TestReader(t *testing.T) {
	r := NewReader("one two")
	for range 50 {
		n := r.Next()
		if len(n.Kids) != 2 || n.Kids[0].Text != "one.o" || n.Kids[1].Text != "two.o" {
			t.Fatalf("%+v", n)
		}
	}
}

func TestTokenizer(t *testing.T) {
	shared := &Tokenizer{"-"}
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for range 4 { // so no arena of the sixteen has a second turn, however long one waits
				if got := strings.Join(shared.Tokens("a b"), " "); got != "(-a (-b" {
					t.Error(got)
				}
			}
		})
	}
	all.Wait()
}

func TestKept(t *testing.T) {
	done := make(chan string, 20)
	for range 20 {
		if n := Unquoted("name"); n != 1 || Name() != "name" {
			t.Fatal(n, Name())
		}
		Background("text", done)
		Table("+other +more")
	}
	for range 20 {
		if got := <-done; got != "text?" {
			t.Fatal(got)
		}
	}
}
