package server

import (
	"crypto/tls"
	"fmt"
	"sync/atomic"

	"stallbook/server/config"
)

// certificate is the server's own; a reload reads it again, so that a renewed one
// needs no restart.
type certificate struct {
	now atomic.Pointer[tls.Certificate]
}

// newCertificate reads the files of the configuration; nil without tls.
func newCertificate(c *config.TLS) (*certificate, error) {
	if c == nil {
		return nil, nil
	}
	pair, err := readPair(c)
	if err != nil {
		return nil, err
	}
	out := new(certificate)
	out.now.Store(pair)
	return out, nil
}

// readPair reads a certificate with its key and sees that they belong together.
func readPair(files *config.TLS) (*tls.Certificate, error) {
	pair, err := tls.LoadX509KeyPair(files.Cert, files.Key)
	if err != nil {
		return nil, fmt.Errorf("tls: %s with %s can't be used: %w", files.Cert, files.Key, err)
	}
	return &pair, nil
}

func (c *certificate) get(*tls.ClientHelloInfo) (*tls.Certificate, error) { return c.now.Load(), nil }
