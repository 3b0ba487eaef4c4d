package lab

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// npmFolders lists the native/ folders of the pg14..pg18 packages in every
// node_modules from the working directory and from the program upwards: a test
// runs inside its package, a built program may run anywhere.
func npmFolders() []string {
	var starts []string
	if wd, err := os.Getwd(); err == nil {
		starts = append(starts, wd)
	}
	if exe, err := os.Executable(); err == nil {
		starts = append(starts, filepath.Dir(exe))
	}
	var found []string
	for _, dir := range starts {
		for {
			natives, _ := filepath.Glob(filepath.Join(dir, "node_modules", "pg[0-9]*", "native"))
			found = append(found, natives...)
			parent := filepath.Dir(dir)
			if parent == dir {
				break
			}
			dir = parent
		}
	}
	return found
}

// linkLibraries makes the library links that the package's install script would
// have made; npm ci --ignore-scripts leaves them out, as it should.
func linkLibraries(native string) error {
	raw, err := os.ReadFile(filepath.Join(native, "pg-symlinks.json"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	var links []struct{ Source, Target string }
	if err := json.Unmarshal(raw, &links); err != nil {
		return fmt.Errorf("%s/pg-symlinks.json: %w", native, err)
	}
	root := filepath.Dir(native)
	for _, l := range links {
		source, target := filepath.Join(root, l.Source), filepath.Join(root, l.Target)
		rel, err := filepath.Rel(filepath.Dir(target), source)
		if err != nil {
			return err
		}
		if err := os.Symlink(rel, target); err != nil && !errors.Is(err, fs.ErrExist) {
			return fmt.Errorf("cannot make the library links of %s: %w", root, err)
		}
	}
	return nil
}
