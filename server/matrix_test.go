package server

import (
	"bytes"
	"flag"
	"os"
	"testing"

	"stallbook/store"
)

var update = flag.Bool("update", false, "write the golden files")

// TestMatrix judges every recording of the library by every signature. The
// golden file makes an overlap between two runbooks show in review.
func TestMatrix(t *testing.T) {
	lib, err := LoadLibrary(nil)
	if err != nil {
		t.Fatal(err)
	}
	rows, err := Matrix(t.Context(), lib, func(file string, p store.LineProblem) { t.Errorf("%s: %s", file, p) })
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range rows {
		for _, f := range r.Failures(lib) {
			t.Error(f)
		}
	}
	var got bytes.Buffer
	if err := WriteMatrix(&got, rows); err != nil {
		t.Fatal(err)
	}
	const golden = "testdata/matrix.golden"
	if *update {
		if err := os.WriteFile(golden, got.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got.Bytes(), want) {
		t.Errorf("the matrix differs from %s; look at it and run go test ./server -run TestMatrix -update\n%s", golden, got.String())
	}
}
