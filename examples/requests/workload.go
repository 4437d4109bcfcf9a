package main

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"

	"github.com/arena-go/arena/examples/internal/load"
)

// variants is how many different requests a load has.
const variants = 64

// endpoints are what can be asked, the heavy one first.
var endpoints = []string{"quote", "item"}

// newLoad returns requests to an endpoint, always the same.
func newLoad(c config, endpoint string) *load.Load {
	l := &load.Load{Conns: c.conns}
	random := rand.New(rand.NewPCG(2, 2))
	for range variants {
		var request string
		switch endpoint {
		case "item":
			request = fmt.Sprintf("GET /item/%d HTTP/1.1\r\nHost: localhost\r\n\r\n", random.IntN(c.live))
		case "quote":
			body := randomOrder(random, c.lines)
			request = fmt.Sprintf("POST /quote HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", len(body), body)
		}
		l.Requests = append(l.Requests, []byte(request))
	}
	return l
}

// randomOrder returns an order with a number of lines.
func randomOrder(random *rand.Rand, lines int) []byte {
	type object = map[string]any
	var list []object
	for i := range lines {
		category := random.IntN(categories)
		words := random.Perm(wordsPerCategory)[:2]
		line := object{
			"category": categoryName(category),
			"words":    []string{},
			"quantity": 1 + random.IntN(40),
			"note":     fmt.Sprintf("position %d – \"as last time\"", i+1),
		}
		for _, w := range words {
			line["words"] = append(line["words"].([]string), wordName(category, w))
		}
		if random.IntN(2) == 0 {
			line["limit"] = 500 + random.IntN(6000)
		}
		if random.IntN(3) == 0 {
			line["prefer"] = []string{brandName(random.IntN(brands)), brandName(random.IntN(brands))}
		}
		list = append(list, line)
	}
	body, err := json.Marshal(object{
		"customer": object{
			"id":      fmt.Sprint("c", random.IntN(1000)),
			"country": countries[random.IntN(len(countries))],
			"tier":    []string{"", "silver", "gold"}[random.IntN(3)],
		},
		"lines": list,
	})
	if err != nil {
		panic(err)
	}
	return body
}
