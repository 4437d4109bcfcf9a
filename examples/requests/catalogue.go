package main

import (
	"math/rand/v2"
	"strconv"
	"strings"
)

// A catalogue is what the service knows: articles, and who sells them. It is on
// the Go heap, does not change, and is what the collector marks in every cycle.
type catalogue struct {
	articles  []*article
	suppliers []*supplier
	index     map[term][]int32 // ids of articles, in order
}

// An article is what can be bought.
type article struct {
	id       int // its place in catalogue.articles
	name     string
	category string
	brand    string
	words    []string
	offers   []offer
}

// An offer is the price of an article with one supplier.
type offer struct {
	supplier *supplier
	price    int64 // in cents
	stock    int
	days     int // until it arrives
}

// A supplier sells articles.
type supplier struct {
	id       int // its place in catalogue.suppliers
	name     string
	country  string
	shipping int64 // in cents, twice as much to other countries
	freeFrom int64 // goods worth this number of cents are shipped free
}

// A term is a word that describes articles of a category.
type term struct{ category, word string }

const (
	categories       = 40
	wordsPerCategory = 30
	wordsPerArticle  = 3
	brands           = 300
	suppliers        = 200
	offersPerArticle = 7 // at most
)

var countries = []string{"AT", "CZ", "DE", "FR", "IT", "NL", "PL"}

// newCatalogue returns a catalogue of n articles, always the same.
func newCatalogue(n int) *catalogue {
	c := &catalogue{index: map[term][]int32{}}
	random := rand.New(rand.NewPCG(1, uint64(n)))
	for i := range suppliers {
		c.suppliers = append(c.suppliers, &supplier{
			id:       i,
			name:     "Supplier " + name(i),
			country:  countries[random.IntN(len(countries))],
			shipping: 300 + 50*random.Int64N(20),
			freeFrom: 10000 + 1000*random.Int64N(90),
		})
	}
	for i := range n {
		category := random.IntN(categories)
		a := &article{id: i, category: categoryName(category), brand: brandName(random.IntN(brands))}
		for _, w := range random.Perm(wordsPerCategory)[:wordsPerArticle] {
			word := wordName(category, w)
			a.words = append(a.words, word)
			t := term{a.category, word}
			c.index[t] = append(c.index[t], int32(i))
		}
		a.name = a.brand + " " + strings.Join(a.words, " ") + " \"" + strconv.Itoa(i) + "\""
		price := 50 + random.Int64N(5000)
		for range random.IntN(offersPerArticle + 1) {
			a.offers = append(a.offers, offer{
				supplier: c.suppliers[random.IntN(suppliers)],
				price:    price + random.Int64N(price/4),
				stock:    random.IntN(200),
				days:     1 + random.IntN(14),
			})
		}
		c.articles = append(c.articles, a)
	}
	return c
}

func categoryName(i int) string          { return "category-" + name(i) }
func brandName(i int) string             { return "Brand-" + name(1000+i) }
func wordName(category, word int) string { return name(2000 + category*wordsPerCategory + word) }

// name returns a word that can be pronounced, another for every number.
func name(i int) string {
	const first, second = "bdfgklmnprstvz", "aeiou"
	var b []byte
	for {
		b = append(b, first[i%len(first)], second[i/len(first)%len(second)])
		if i /= len(first) * len(second); i == 0 {
			return string(b)
		}
	}
}
