package main

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/arena-go/arena"
	"github.com/arena-go/arena/arenajson"
	"github.com/arena-go/arena/arenapgx"
	"github.com/arena-go/arena/arenasql"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"
	"github.com/jackc/pgx/v5/pgxpool"
	_ "modernc.org/sqlite"
)

// A store is the database. The first two methods are with the adapters of arenas, and with a nil
// arena on the heap; the other two are without them, as most programs are.
type store interface {
	products(ctx context.Context, a *arena.Arena, skus []string) ([]Product, error)
	insert(ctx context.Context, a *arena.Arena, o *Order, total int64) error
	plainProducts(ctx context.Context, skus []string) ([]Product, error)
	plainInsert(ctx context.Context, o *Order, total int64) error
	skip(ctx context.Context, skus []string) error // reads the rows, and decodes none
	insertLines(ctx context.Context, o *Order, total int64, lines []byte) error
	close()
}

// openStore connects to a PostgreSQL if dsn is not empty, with a driver, and else to an SQLite
// file.
func openStore(ctx context.Context, driver, dsn, file string) (store, error) {
	if dsn == "" {
		return openFile(file)
	}
	if driver != "pgx" {
		return openSQL(ctx, driver, dsn)
	}
	pool, err := pgxpool.New(ctx, dsn)
	if err != nil {
		return nil, err
	}
	if err := pool.Ping(ctx); err != nil {
		pool.Close()
		return nil, err
	}
	return postgres{pool}, nil
}

// postgres is a store.
type postgres struct{ pool *pgxpool.Pool }

const (
	selectPostgres = `select id, sku, name, category, price, stock, weight, updated, note, attributes from arena_products where sku = any($1)`
	insertPostgres = `insert into arena_orders (number, customer, total, lines) values ($1, $2, $3, $4)`
)

func (s postgres) close() { s.pool.Close() }

func (s postgres) products(ctx context.Context, a *arena.Arena, skus []string) ([]Product, error) {
	rows, err := s.pool.Query(ctx, selectPostgres, arenapgx.TextArray(a, skus))
	if err != nil {
		return nil, err
	}
	return arenapgx.Collect[Product](a, rows)
}

func (s postgres) insert(ctx context.Context, a *arena.Arena, o *Order, total int64) error {
	lines, err := arenajson.Marshal(a, o.Lines)
	if err != nil {
		return err
	}
	return s.insertLines(ctx, o, total, lines)
}

func (s postgres) insertLines(ctx context.Context, o *Order, total int64, lines []byte) error {
	_, err := s.pool.Exec(ctx, insertPostgres, o.Number, o.Customer.ID, total, lines)
	return err
}

func (s postgres) skip(ctx context.Context, skus []string) error {
	rows, err := s.pool.Query(ctx, selectPostgres, arenapgx.TextArray(nil, skus))
	if err != nil {
		return err
	}
	for rows.Next() {
		rows.RawValues()
	}
	return rows.Err()
}

func (s postgres) plainProducts(ctx context.Context, skus []string) ([]Product, error) {
	rows, err := s.pool.Query(ctx, selectPostgres, skus)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowToStructByName[Product])
}

func (s postgres) plainInsert(ctx context.Context, o *Order, total int64) error {
	lines, err := json.Marshal(o.Lines)
	if err != nil {
		return err
	}
	return s.insertLines(ctx, o, total, lines)
}

// sqlite is a store.
type sqlite struct {
	db             *sql.DB
	lookup, append *sql.Stmt
}

func openFile(file string) (store, error) {
	db, err := sql.Open("sqlite", "file:"+file+"?_pragma=journal_mode(WAL)&_pragma=synchronous(NORMAL)&_pragma=busy_timeout(60000)")
	if err != nil {
		return nil, err
	}
	s := sqlite{db: db}
	if s.lookup, err = db.Prepare(`select id, sku, name, category, price, stock, weight, updated, note, attributes from arena_products where sku in (select value from json_each(?))`); err == nil {
		s.append, err = db.Prepare(`insert into arena_orders (number, customer, total, lines) values (?, ?, ?, ?)`)
	}
	if err != nil {
		db.Close()
		return nil, err
	}
	return s, nil
}

func (s sqlite) close() { s.db.Close() }

// A fileRow is a Product as SQLite has it, which knows neither decimals nor times.
type fileRow struct {
	ID, Stock           int64
	SKU, Name, Category string
	Price               string
	Weight              float64
	Updated             int64 // microseconds since 1970
	Note                *string
	Attributes          []byte
}

func (s sqlite) products(ctx context.Context, a *arena.Arena, skus []string) ([]Product, error) {
	list, err := arenajson.Marshal(a, skus)
	if err != nil {
		return nil, err
	}
	rows, err := s.lookup.QueryContext(ctx, arena.String(a, list))
	if err != nil {
		return nil, err
	}
	found, err := arenasql.Collect[fileRow](a, rows)
	if err != nil {
		return nil, err
	}
	products := arena.MakeSlice[Product](a, len(found), len(found))
	for i := range found {
		if err := found[i].product(&products[i], func(v any) error { return arenajson.Unmarshal(a, found[i].Attributes, v) }); err != nil {
			return nil, err
		}
	}
	return products, nil
}

// product sets p to what r says. decode decodes its attributes.
func (r *fileRow) product(p *Product, decode func(v any) error) error {
	*p = Product{ID: r.ID, SKU: r.SKU, Name: r.Name, Category: r.Category, Stock: r.Stock, Weight: r.Weight, Updated: time.UnixMicro(r.Updated), Note: r.Note}
	if err := p.Price.Scan(r.Price); err != nil {
		return fmt.Errorf("product %s: %w", r.SKU, err)
	}
	if err := decode(&p.Attributes); err != nil {
		return fmt.Errorf("product %s: %w", r.SKU, err)
	}
	return nil
}

func (s sqlite) insert(ctx context.Context, a *arena.Arena, o *Order, total int64) error {
	lines, err := arenajson.Marshal(a, o.Lines)
	if err != nil {
		return err
	}
	return s.insertLines(ctx, o, total, lines)
}

func (s sqlite) plainProducts(ctx context.Context, skus []string) ([]Product, error) {
	list, err := json.Marshal(skus)
	if err != nil {
		return nil, err
	}
	rows, err := s.lookup.QueryContext(ctx, string(list))
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var products []Product
	for rows.Next() {
		var r fileRow
		if err := rows.Scan(&r.ID, &r.SKU, &r.Name, &r.Category, &r.Price, &r.Stock, &r.Weight, &r.Updated, &r.Note, &r.Attributes); err != nil {
			return nil, err
		}
		var p Product
		if err := r.product(&p, func(v any) error { return json.Unmarshal(r.Attributes, v) }); err != nil {
			return nil, err
		}
		products = append(products, p)
	}
	return products, rows.Err()
}

func (s sqlite) plainInsert(ctx context.Context, o *Order, total int64) error {
	lines, err := json.Marshal(o.Lines)
	if err != nil {
		return err
	}
	return s.insertLines(ctx, o, total, lines)
}

func (s sqlite) insertLines(ctx context.Context, o *Order, total int64, lines []byte) error {
	_, err := s.append.ExecContext(ctx, o.Number, o.Customer.ID, total, lines)
	return err
}

func (s sqlite) skip(ctx context.Context, skus []string) error {
	list, err := json.Marshal(skus)
	if err != nil {
		return err
	}
	rows, err := s.lookup.QueryContext(ctx, string(list))
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
	}
	return rows.Err()
}

// setUp makes the tables anew, with n products. See productRow for text.
func setUp(ctx context.Context, dsn, file string, n, text int) error {
	if dsn == "" {
		return setUpFile(ctx, file, n, text)
	}
	c, err := pgx.Connect(ctx, dsn)
	if err != nil {
		return err
	}
	defer c.Close(ctx)
	_, err = c.Exec(ctx, `drop table if exists arena_products, arena_orders;
		create table arena_products (id int8 primary key, sku text unique not null, name text not null, category text not null, price numeric(12,2) not null, stock int8 not null,
			weight float8 not null, updated timestamptz not null, note text, attributes jsonb not null);
		create table arena_orders (id bigserial primary key, number int8 not null, customer text not null, total int8 not null, lines jsonb not null)`)
	if err != nil {
		return err
	}
	_, err = c.CopyFrom(ctx, pgx.Identifier{"arena_products"}, []string{"id", "sku", "name", "category", "price", "stock", "weight", "updated", "note", "attributes"},
		pgx.CopyFromSlice(n, func(i int) ([]any, error) {
			r := productRow(i, text)
			var price pgtype.Numeric
			err := price.Scan(r.Price)
			return []any{r.ID, r.SKU, r.Name, r.Category, price, r.Stock, r.Weight, time.UnixMicro(r.Updated), r.Note, r.Attributes}, err
		}))
	if err == nil {
		_, err = c.Exec(ctx, "analyze arena_products")
	}
	return err
}

func setUpFile(ctx context.Context, file string, n, text int) error {
	db, err := sql.Open("sqlite", "file:"+file)
	if err != nil {
		return err
	}
	defer db.Close()
	db.SetMaxOpenConns(1)
	for _, s := range []string{
		`pragma journal_mode = wal`,
		`drop table if exists arena_products`,
		`drop table if exists arena_orders`,
		`create table arena_products (id integer primary key, sku text unique not null, name text not null, category text not null, price text not null, stock integer not null,
			weight real not null, updated integer not null, note text, attributes text not null)`,
		`create table arena_orders (id integer primary key, number integer not null, customer text not null, total integer not null, lines text not null)`,
	} {
		if _, err := db.ExecContext(ctx, s); err != nil {
			return err
		}
	}
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	for i := range n {
		r := productRow(i, text)
		if _, err := tx.ExecContext(ctx, `insert into arena_products values (?,?,?,?,?,?,?,?,?,?)`,
			r.ID, r.SKU, r.Name, r.Category, r.Price, r.Stock, r.Weight, r.Updated, r.Note, r.Attributes); err != nil {
			return err
		}
	}
	return tx.Commit()
}

// sku returns the name of a product.
func sku(i int) string { return fmt.Sprintf("SKU-%06d", i) }

var colors = strings.Fields("red green blue black white yellow orange violet")

// remark is what a long note says again and again.
const remark = `This article is made by hand, in a "small series": its colour may differ a little from the picture. Keep it dry, and out of the reach of children. `

// productRow returns a product, always the same. Each has a note of text bytes, or a third of them
// a short one if text is 0.
func productRow(i, text int) fileRow {
	r := fileRow{
		ID: int64(i), SKU: sku(i), Name: fmt.Sprintf("%s article number %d of the collection", colors[i%8], i), Category: "category " + fmt.Sprint(i%40),
		Price: fmt.Sprintf("%d.%02d", i%500, i*7%100), Stock: int64(i * 13 % 200), Weight: float64(i%1000) / 8,
		Updated:    time.Date(2026, 1, 1+i%300, i%24, i%60, 0, i%1000*1000, time.UTC).UnixMicro(),
		Attributes: fmt.Appendf(nil, `{"color": %q, "size": %d, "tags": ["tag%d", "tag%d", "new"]}`, colors[i%8], i%60, i%9, i%7),
	}
	if text > 0 {
		note := strings.Repeat(remark, text/len(remark)+1)[:text]
		r.Note = &note
	} else if i%3 == 0 {
		note := fmt.Sprintf("delivered in %d days – “as usual”", i%20)
		r.Note = &note
	}
	return r
}
