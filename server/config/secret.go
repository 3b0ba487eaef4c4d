package config

import "log/slog"

// Secret is a text that may be used and never shown: every way of printing,
// logging or serving it gives the stand-in. The value sits behind a pointer so
// that a reflecting printer, which ignores methods of unexported fields, meets
// an address and not the text.
type Secret struct {
	value *string
	shown string
}

// NewSecret wraps value. shown is what a person may see in its place; "" means
// "[secret]".
func NewSecret(value, shown string) Secret {
	if shown == "" {
		shown = "[secret]"
	}
	return Secret{&value, shown}
}

// Reveal returns the text itself. Call it where the text is used, not before.
func (s Secret) Reveal() string {
	if s.value == nil {
		return ""
	}
	return *s.value
}

// IsZero reports whether there is no text at all.
func (s Secret) IsZero() bool { return s.value == nil || *s.value == "" }

// String returns the stand-in.
func (s Secret) String() string { return s.shown }

// GoString keeps %#v from showing the text.
func (s Secret) GoString() string { return s.shown }

// MarshalText gives the stand-in to JSON, YAML and the like.
func (s Secret) MarshalText() ([]byte, error) { return []byte(s.shown), nil }

// LogValue gives the stand-in to slog.
func (s Secret) LogValue() slog.Value { return slog.StringValue(s.shown) }
