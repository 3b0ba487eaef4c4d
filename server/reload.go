package server

import (
	"context"
	"crypto/tls"

	"stallbook/server/config"
	"stallbook/server/match"
)

// reloads takes a new configuration whenever one is asked for. A bad file
// changes nothing: the old one stays in force and the log says why.
func (s *service) reloads(ctx context.Context) error {
	for {
		select {
		case <-ctx.Done():
			return nil
		case load := <-s.o.Reload:
			if err := s.reload(load); err != nil {
				s.o.Log.Error("configuration not reloaded, the old one stays in force", "error", err)
				continue
			}
			s.o.Log.Info("configuration reloaded", "clusters", len(s.cfg.Load().Clusters))
		}
	}
}

func (s *service) reload(load func() (*config.Config, error)) error {
	cfg, err := load()
	if err != nil {
		return err
	}
	lib, err := loadChecked(cfg)
	if err != nil {
		return err
	}
	old := s.cfg.Load()
	for name, changed := range map[string]bool{
		"listen": cfg.Listen != old.Listen, "database": cfg.Database != old.Database, "base_path": cfg.BasePath != old.BasePath,
		"public_url": cfg.PublicURL != old.PublicURL, "tls": (cfg.TLS == nil) != (old.TLS == nil), "retention": cfg.Retention != old.Retention,
	} {
		if changed {
			s.o.Log.Warn("this key takes effect at the next start", "key", name)
		}
	}
	renewed := s.cert != nil && cfg.TLS != nil
	var pair *tls.Certificate
	if renewed {
		if pair, err = readPair(cfg.TLS); err != nil {
			return err
		}
	}
	if err := s.fleet.follow(cfg); err != nil {
		return err
	}
	if renewed {
		s.cert.now.Store(pair)
	}
	s.cfg.Store(cfg)
	s.pipeline.library.Store(lib)
	s.pipeline.window.SetBaselines(match.Baselines(lib.Signatures()))
	return nil
}
