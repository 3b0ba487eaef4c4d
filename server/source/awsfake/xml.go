package awsfake

import (
	"encoding/base64"
	"encoding/xml"
	"math/big"
	"strconv"
	"strings"
	"time"

	"github.com/aws/smithy-go"
	"github.com/aws/smithy-go/document"
	"github.com/aws/smithy-go/traits"
)

const namespace = "http://rds.amazonaws.com/doc/2014-10-31/"

// xmlBody writes an answer of the Query protocol. The SDK's own output types
// say what they hold, so that a test sets any field of them.
func xmlBody(c Call, a answer) []byte {
	w := &xmlWriter{top: c.Action + "Result"}
	a.xml.Serialize(w)
	return []byte(`<?xml version="1.0"?><` + c.Action + `Response xmlns="` + namespace + `">` + w.b.String() +
		`<ResponseMetadata><RequestId>fake-request</RequestId></ResponseMetadata></` + c.Action + `Response>`)
}

// xmlWriter implements smithy.ShapeSerializer.
type xmlWriter struct {
	b    strings.Builder
	top  string   // the outermost element
	open []string // elements to be closed
}

func (w *xmlWriter) name(s *smithy.Schema) string {
	if len(w.open) == 0 {
		return w.top
	}
	if n, ok := smithy.SchemaTrait[*traits.XMLName](s); ok {
		return n.Name
	}
	return s.MemberName()
}

func (w *xmlWriter) begin(s *smithy.Schema) {
	n := w.name(s)
	w.open = append(w.open, n)
	w.b.WriteString("<" + n + ">")
}

func (w *xmlWriter) end() {
	last := len(w.open) - 1
	w.b.WriteString("</" + w.open[last] + ">")
	w.open = w.open[:last]
}

func (w *xmlWriter) text(s *smithy.Schema, v string) {
	w.begin(s)
	xml.EscapeText(&w.b, []byte(v))
	w.end()
}

func (w *xmlWriter) integer(s *smithy.Schema, v int64) { w.text(s, strconv.FormatInt(v, 10)) }

// Bytes returns what was written.
func (w *xmlWriter) Bytes() []byte { return []byte(w.b.String()) }

func (w *xmlWriter) WriteInt8(s *smithy.Schema, v int8)   { w.integer(s, int64(v)) }
func (w *xmlWriter) WriteInt16(s *smithy.Schema, v int16) { w.integer(s, int64(v)) }
func (w *xmlWriter) WriteInt32(s *smithy.Schema, v int32) { w.integer(s, int64(v)) }
func (w *xmlWriter) WriteInt64(s *smithy.Schema, v int64) { w.integer(s, v) }
func (w *xmlWriter) WriteFloat32(s *smithy.Schema, v float32) {
	w.text(s, strconv.FormatFloat(float64(v), 'g', -1, 32))
}
func (w *xmlWriter) WriteFloat64(s *smithy.Schema, v float64) {
	w.text(s, strconv.FormatFloat(v, 'g', -1, 64))
}
func (w *xmlWriter) WriteBool(s *smithy.Schema, v bool)           { w.text(s, strconv.FormatBool(v)) }
func (w *xmlWriter) WriteString(s *smithy.Schema, v string)       { w.text(s, v) }
func (w *xmlWriter) WriteBigInt(s *smithy.Schema, v *big.Int)     { w.text(s, v.String()) }
func (w *xmlWriter) WriteBigFloat(s *smithy.Schema, v *big.Float) { w.text(s, v.String()) }
func (w *xmlWriter) WriteBlob(s *smithy.Schema, v []byte) {
	w.text(s, base64.StdEncoding.EncodeToString(v))
}
func (w *xmlWriter) WriteTime(s *smithy.Schema, v time.Time) {
	w.text(s, v.UTC().Format("2006-01-02T15:04:05.000Z"))
}
func (w *xmlWriter) WriteUnion(s, variant *smithy.Schema)             { w.begin(s) }
func (w *xmlWriter) CloseUnion()                                      { w.end() }
func (w *xmlWriter) WriteDocument(s *smithy.Schema, _ document.Value) { w.text(s, "") }
func (w *xmlWriter) WriteNil(*smithy.Schema)                          {}
func (w *xmlWriter) WriteStruct(s *smithy.Schema)                     { w.begin(s) }
func (w *xmlWriter) CloseStruct()                                     { w.end() }
func (w *xmlWriter) WriteList(s *smithy.Schema)                       { w.begin(s) }
func (w *xmlWriter) CloseList()                                       { w.end() }
func (w *xmlWriter) WriteMap(s *smithy.Schema)                        { w.begin(s) }
func (w *xmlWriter) WriteKey(s *smithy.Schema, key string)            { w.text(s, key) }
func (w *xmlWriter) CloseMap()                                        { w.end() }
