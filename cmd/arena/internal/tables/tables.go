// Package tables has the tables that the commands print.
package tables

import (
	"io"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"
)

// New returns a table for w. The columns of these numbers, from 1, are of figures.
func New(w io.Writer, header table.Row, figures ...int) table.Writer {
	t := table.NewWriter()
	t.SetOutputMirror(w)
	style := table.StyleLight
	style.Options = table.OptionsNoBordersAndSeparators
	style.Options.SeparateHeader = true
	style.Format.Header = text.FormatDefault
	t.SetStyle(style)
	var columns []table.ColumnConfig
	for _, n := range figures {
		columns = append(columns, table.ColumnConfig{Number: n, Align: text.AlignRight, AlignHeader: text.AlignRight})
	}
	t.SetColumnConfigs(columns)
	t.AppendHeader(header)
	t.SuppressTrailingSpaces()
	return t
}
