package static

import (
	"io/fs"
	"regexp"
	"strings"
	"testing"
)

func TestURLCarriesTheContent(t *testing.T) {
	u := URL("/stallbook", "base.css")
	if !regexp.MustCompile(`^/stallbook/static/base\.css\?v=[0-9a-f]{12}$`).MatchString(u) {
		t.Errorf("URL = %q", u)
	}
	if URL("", "tokens.css") == URL("", "base.css") || strings.Split(URL("", "tokens.css"), "=")[1] == strings.Split(u, "=")[1] {
		t.Error("two files share one hash")
	}
	for _, name := range []string{"nothing.css", "vendor/.gitkeep", "../embed.go", ""} {
		if got := URL("", name); got != "" || Has(name) {
			t.Errorf("URL(%q) = %q for a file that is not there", name, got)
		}
	}
}

// A browser refuses a script or stylesheet of a type it does not expect.
func TestEveryFileHasAType(t *testing.T) {
	err := fs.WalkDir(FS, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || strings.HasPrefix(d.Name(), ".") {
			return err
		}
		if MIME(name) == "application/octet-stream" {
			t.Errorf("%s has no content type", name)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if got := MIME("app.js"); got != "text/javascript; charset=utf-8" {
		t.Errorf("app.js: %q", got)
	}
}

// Colours live in tokens.css: a page drawn in one theme must be right in the other.
func TestColoursAreTokens(t *testing.T) {
	colour := regexp.MustCompile(`#[0-9a-fA-F]{3,8}\b`)
	sheets, err := fs.Glob(FS, "*.css")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range sheets {
		if name == "tokens.css" {
			continue
		}
		b, err := FS.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		text, _, _ := strings.Cut(string(b), "@media print")
		for _, line := range strings.Split(text, "\n") {
			_, decl, isRule := strings.Cut(line, "{")
			if c := colour.FindString(decl); isRule && c != "" {
				t.Errorf("%s: %s is a colour of its own: %s", name, c, strings.TrimSpace(line))
			}
		}
	}
}

// Every name that a stylesheet uses is a token somebody defined.
func TestTokensExist(t *testing.T) {
	defined := map[string]bool{}
	var all strings.Builder
	sheets, _ := fs.Glob(FS, "*.css")
	for _, name := range sheets {
		b, err := FS.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		all.Write(b)
	}
	for _, m := range regexp.MustCompile(`(--[a-z0-9-]+)\s*:`).FindAllStringSubmatch(all.String(), -1) {
		defined[m[1]] = true
	}
	for _, m := range regexp.MustCompile(`var\((--[a-z0-9-]+)`).FindAllStringSubmatch(all.String(), -1) {
		if !defined[m[1]] {
			t.Errorf("%s is used and not defined", m[1])
		}
	}
}
