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
	out := new(certificate)
	return out, out.read(c)
}

// read replaces the certificate; after an error the old one stays.
func (c *certificate) read(files *config.TLS) error {
	pair, err := tls.LoadX509KeyPair(files.Cert, files.Key)
	if err != nil {
		return fmt.Errorf("tls: %s with %s can't be used: %w", files.Cert, files.Key, err)
	}
	c.now.Store(&pair)
	return nil
}

func (c *certificate) get(*tls.ClientHelloInfo) (*tls.Certificate, error) { return c.now.Load(), nil }
