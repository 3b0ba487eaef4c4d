// Package config reads the configuration file. What it returns is complete and
// checked: defaults are filled in, secrets are resolved, durations and sizes are
// numbers. What it can't accept it explains with file and line, all of it at
// once. It opens no connection and knows no runbook; whoever has the library
// calls Check with its names.
package config
