package server

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"math/big"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"stallbook/server/config"
)

// selfSigned writes a certificate of that number and its key.
func selfSigned(t *testing.T, files config.TLS, number int64) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(number), NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), DNSNames: []string{"localhost"}}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	secret, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	for path, block := range map[string]*pem.Block{files.Cert: {Type: "CERTIFICATE", Bytes: der}, files.Key: {Type: "PRIVATE KEY", Bytes: secret}} {
		if err := os.WriteFile(path, pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// A renewed certificate is served after a reload, without a restart; one that
// can't be read leaves the old one in place.
func TestReloadTakesTheNewCertificate(t *testing.T) {
	dir := t.TempDir()
	files := config.TLS{Cert: filepath.Join(dir, "cert.pem"), Key: filepath.Join(dir, "key.pem")}
	selfSigned(t, files, 1)
	cfg := emptyConfig(t)
	cfg.TLS = &files
	reload := make(chan func() (*config.Config, error))
	s := start(t, Options{Config: cfg, Reload: reload})
	served := func() int64 {
		conn, err := tls.Dial("tcp", strings.TrimSuffix(strings.TrimPrefix(s.url, "https://"), "/"), &tls.Config{InsecureSkipVerify: true})
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		return conn.ConnectionState().PeerCertificates[0].SerialNumber.Int64()
	}
	if served() != 1 {
		t.Fatal("the first certificate is not served")
	}
	again := func() (*config.Config, error) { return cfg, nil }
	selfSigned(t, files, 2)
	reload <- again
	until(t, 5*time.Second, "the second certificate is served", func() bool { return served() == 2 })
	if err := os.WriteFile(files.Key, []byte("nonsense"), 0o600); err != nil {
		t.Fatal(err)
	}
	reload <- again
	reload <- again // taken only when the first one was done
	if served() != 2 {
		t.Error("a bad key took the certificate away")
	}
}
