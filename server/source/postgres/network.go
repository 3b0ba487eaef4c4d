package postgres

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"strings"
	"syscall"

	"github.com/jackc/pgx/v5"
)

func explainNetwork(err error, cfg *pgx.ConnConfig) string {
	at := address(cfg)
	var dns *net.DNSError
	var cert *tls.CertificateVerificationError
	var unknown x509.UnknownAuthorityError
	var netErr net.Error
	switch {
	case errors.As(err, &dns):
		return fmt.Sprintf("the name %s has no address: is it spelt right, and does this host's DNS know it?", cfg.Host)
	case errors.Is(err, syscall.ECONNREFUSED):
		return fmt.Sprintf("connection refused: nothing listens on %s; is Postgres running there, and is that its port (listen_addresses, port)?", at)
	case errors.Is(err, fs.ErrNotExist) && strings.HasPrefix(cfg.Host, "/"):
		return fmt.Sprintf("there is no socket %s; is Postgres running, and is that its unix_socket_directories?", at)
	case errors.Is(err, syscall.EHOSTUNREACH), errors.Is(err, syscall.ENETUNREACH):
		return fmt.Sprintf("there is no route to %s", at)
	case errors.As(err, &cert), errors.As(err, &unknown):
		return fmt.Sprintf("the certificate of %s is not trusted (%v): give sslrootcert, or a name that is in the certificate", at, innermost(err))
	case errors.Is(err, context.Canceled):
		return "the reading was called off"
	case errors.Is(err, context.DeadlineExceeded), errors.As(err, &netErr) && netErr.Timeout():
		return fmt.Sprintf("%s gave no answer within its second: the server, its disk or the network hangs, or a firewall drops the packets", at)
	case errors.Is(err, syscall.ECONNRESET), errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, net.ErrClosed):
		return fmt.Sprintf("%s closed the connection", at)
	case strings.Contains(err.Error(), "refused TLS"):
		return fmt.Sprintf("%s offers no TLS and sslmode demands it", at)
	}
	return fmt.Sprintf("%s can't be read: %s", at, innermost(err))
}

// innermost drops the wrapping, which repeats user, database and address.
func innermost(err error) string {
	for {
		next := errors.Unwrap(err)
		if next == nil {
			return err.Error()
		}
		err = next
	}
}
