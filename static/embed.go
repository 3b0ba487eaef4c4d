// Package static holds the stylesheets, scripts and icons of the pages, built
// into the binary. Third-party scripts are copied into vendor by `make static`;
// without them the pages still read well, they just move less.
package static

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"io/fs"
	"path"
	"strings"
)

// FS holds every asset by its name: app.css, vendor/uplot.js.
//
//go:embed *.css *.js *.svg all:vendor
var FS embed.FS

// sums is the content hash of each asset. It is filled once and only read.
var sums = hashAll()

func hashAll() map[string]string {
	out := map[string]string{}
	err := fs.WalkDir(FS, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || strings.HasPrefix(d.Name(), ".") {
			return err
		}
		b, err := FS.ReadFile(name)
		sum := sha256.Sum256(b)
		out[name] = hex.EncodeToString(sum[:6])
		return err
	})
	if err != nil {
		panic("static: the embedded files cannot be read: " + err.Error())
	}
	return out
}

// Has reports whether the asset was there when the binary was built.
func Has(name string) bool { return sums[name] != "" }

// URL is the asset's address below /static, with its content hash, so that a
// browser may keep it for ever. base is the site's base path, "" or "/stallbook".
// It is "" for an asset that is not there.
func URL(base, name string) string {
	if !Has(name) {
		return ""
	}
	return base + "/static/" + name + "?v=" + sums[name]
}

// MIME is the content type of an asset by its name. The system's own table is
// not asked: it differs from machine to machine and browsers refuse a stylesheet
// of the wrong type.
func MIME(name string) string {
	switch path.Ext(name) {
	case ".css":
		return "text/css; charset=utf-8"
	case ".js":
		return "text/javascript; charset=utf-8"
	case ".svg":
		return "image/svg+xml"
	case ".txt":
		return "text/plain; charset=utf-8"
	}
	return "application/octet-stream"
}
