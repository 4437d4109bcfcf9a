package main

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/arenajson"
	"github.com/arena-go/arena/arenasql"
	_ "github.com/jackc/pgx/v5/stdlib"
	"github.com/lib/pq"
)

// drivers are the packages that connect to PostgreSQL, and what database/sql calls those that are
// drivers of it.
var drivers = map[string]string{"pgx": "", "stdlib": "pgx", "pq": "postgres"}

// sqlStore is a store: PostgreSQL by database/sql, as most programs ask it.
type sqlStore struct {
	db    *sql.DB
	array func(skus []string) any // an argument
}

func openSQL(ctx context.Context, driver, dsn string) (store, error) {
	db, err := sql.Open(drivers[driver], dsn)
	if err != nil {
		return nil, err
	}
	if err := db.PingContext(ctx); err != nil {
		db.Close()
		return nil, err
	}
	s := sqlStore{db: db, array: func(skus []string) any { return skus }}
	if driver == "pq" {
		s.array = func(skus []string) any { return pq.Array(skus) }
	}
	return s, nil
}

func (s sqlStore) close() { s.db.Close() }

func (s sqlStore) products(ctx context.Context, a *arena.Arena, skus []string) ([]Product, error) {
	rows, err := s.db.QueryContext(ctx, selectPostgres, s.array(skus))
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	products := arena.MakeSlice[Product](a, 0, len(skus))
	for rows.Next() {
		products = arena.Push(a, products, Product{})
		p := &products[len(products)-1]
		var price string
		var attributes []byte
		err := arenasql.Scan(a, rows, &p.ID, &p.SKU, &p.Name, &p.Category, &price, &p.Stock, &p.Weight, &p.Updated, &p.Note, &attributes)
		if err != nil {
			return nil, err
		}
		if err := p.Price.Scan(price); err != nil {
			return nil, fmt.Errorf("product %s: %w", p.SKU, err)
		}
		if err := arenajson.Unmarshal(a, attributes, &p.Attributes); err != nil {
			return nil, fmt.Errorf("product %s: %w", p.SKU, err)
		}
	}
	return products, rows.Err()
}

func (s sqlStore) plainProducts(ctx context.Context, skus []string) ([]Product, error) {
	rows, err := s.db.QueryContext(ctx, selectPostgres, s.array(skus))
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	products := make([]Product, 0, len(skus))
	for rows.Next() {
		var p Product
		var price string
		var attributes []byte
		if err := rows.Scan(&p.ID, &p.SKU, &p.Name, &p.Category, &price, &p.Stock, &p.Weight, &p.Updated, &p.Note, &attributes); err != nil {
			return nil, err
		}
		if err := p.Price.Scan(price); err != nil {
			return nil, fmt.Errorf("product %s: %w", p.SKU, err)
		}
		if err := json.Unmarshal(attributes, &p.Attributes); err != nil {
			return nil, fmt.Errorf("product %s: %w", p.SKU, err)
		}
		products = append(products, p)
	}
	return products, rows.Err()
}

func (s sqlStore) insert(ctx context.Context, a *arena.Arena, o *Order, total int64) error {
	lines, err := arenajson.Marshal(a, o.Lines)
	if err != nil {
		return err
	}
	return s.insertLines(ctx, o, total, lines)
}

func (s sqlStore) plainInsert(ctx context.Context, o *Order, total int64) error {
	lines, err := json.Marshal(o.Lines)
	if err != nil {
		return err
	}
	return s.insertLines(ctx, o, total, lines)
}

func (s sqlStore) insertLines(ctx context.Context, o *Order, total int64, lines []byte) error {
	_, err := s.db.ExecContext(ctx, insertPostgres, o.Number, o.Customer.ID, total, string(lines))
	return err
}

func (s sqlStore) skip(ctx context.Context, skus []string) error {
	rows, err := s.db.QueryContext(ctx, selectPostgres, s.array(skus))
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
	}
	return rows.Err()
}
