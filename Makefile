# Every target is one step. `make` alone lists them.
SHELL       := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help

BIN      := bin
VENDOR   := static/vendor
GO_DIRS  := $(wildcard *.go) migrations runbooks server static store views
NPM_CI   := npm ci --ignore-scripts --no-audit --no-fund

VERSION  ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo development)
COMMIT   ?= $(shell git rev-parse --short=12 HEAD 2>/dev/null || echo unknown)
LDFLAGS  := -s -w -X main.version=$(VERSION) -X main.commit=$(COMMIT)

# Of the race detector, two packages at a time: each may run servers of its own.
TEST_FLAGS  ?= -race -p 2 -timeout 12m
BENCH       ?= .
BENCH_FLAGS ?= -benchmem -timeout 30m
LISTEN      ?= 127.0.0.1:8080

.PHONY: help demo build static generate test packages npm-test format vet staticcheck \
	templ-check go-test vulnerabilities bench image-root image-check clean

help: ## List the targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 20

demo: ## Build and run the demo; LISTEN=host:port moves it
	@$(MAKE) --no-print-directory static || echo "demo: the scripts could not be fetched; the pages work without them and move less" >&2
	@$(MAKE) --no-print-directory build
	@exec ./$(BIN)/stallbook demo --listen $(LISTEN)

build: ## Build bin/stallbook, static
	CGO_ENABLED=0 go build -trimpath -ldflags '$(LDFLAGS)' -o $(BIN)/stallbook .

# npm ci empties node_modules first, so it runs only when something is missing or
# of another version.
static: ## Fetch the third-party scripts and copy them into static/vendor
	npm ls --omit=dev >/dev/null 2>&1 || $(NPM_CI) --omit=dev
	find $(VENDOR) -type f ! -name .gitkeep -delete
	cp node_modules/uplot/dist/uPlot.iife.min.js node_modules/uplot/dist/uPlot.min.css $(VENDOR)/
	cp node_modules/uplot/LICENSE $(VENDOR)/uPlot.LICENSE.txt
	cp node_modules/idiomorph/dist/idiomorph.min.js $(VENDOR)/
	cp node_modules/idiomorph/LICENSE $(VENDOR)/idiomorph.LICENSE.txt

generate: ## Write views/*_templ.go from views/*.templ
	go tool templ generate -path views

test: packages npm-test static format vet staticcheck templ-check go-test vulnerabilities ## Install what is missing and check everything

packages: ## Install the system packages that the tests use (root and apt)
	.ci/packages

npm-test: ## Install the Postgres servers 14 to 18 and the browser driver of the tests
	npm ls >/dev/null 2>&1 || $(NPM_CI)

format: ## Fail on files that gofmt would change
	@files=$$(gofmt -l $(GO_DIRS)); if [ -n "$$files" ]; then echo "run gofmt -w on:"; echo "$$files"; exit 1; fi

vet: ## Run go vet
	go vet ./...

staticcheck: ## Run staticcheck
	go tool staticcheck ./...

templ-check: ## Fail when views/*_templ.go is not what the templates give
	@sum() { find views -name '*_templ.go' | sort | xargs -r sha256sum; }; \
	before=$$(sum); go tool templ generate -path views -log-level error; \
	if [ "$$before" != "$$(sum)" ]; then echo "the generated views were stale; commit what make generate just wrote"; exit 1; fi

go-test: ## Run the Go tests; TEST_FLAGS changes how
	go test $(TEST_FLAGS) ./...

# The list of known vulnerabilities is on the network and not everybody's is open.
vulnerabilities: ## Look for known vulnerabilities in what is called, where the list can be reached
	@if curl -sf -m 10 -o /dev/null https://vuln.go.dev/index/db.json; then \
		go run golang.org/x/vuln/cmd/govulncheck@v1.9.0 ./...; \
	else \
		echo "vulnerabilities: not checked, https://vuln.go.dev can't be reached from here"; \
	fi

bench: ## Run the benchmarks; BENCH=regexp picks some
	go test -run '^$$' -bench '$(BENCH)' $(BENCH_FLAGS) ./...

# The Dockerfile copies this folder as it is; nothing is made inside the image.
image-root: build ## Put the container's root file system into bin/image
	rm -rf $(BIN)/image
	install -d $(BIN)/image/etc/ssl/certs $(BIN)/image/data
	install -d -m 1777 $(BIN)/image/tmp
	install -m 0555 $(BIN)/stallbook $(BIN)/image/stallbook
	echo 'stallbook:x:65532:65532::/data:/stallbook' >$(BIN)/image/etc/passwd
	echo 'stallbook:x:65532:' >$(BIN)/image/etc/group
	cp /etc/ssl/certs/ca-certificates.crt $(BIN)/image/etc/ssl/certs/
	cp LICENSE $(BIN)/image/LICENSE

image-check: image-root ## Run the image's program in its root, as its user (root only)
	! ldd $(BIN)/image/stallbook
	chown 65532:65532 $(BIN)/image/data
	chroot --userspec=65532:65532 $(BIN)/image /stallbook version
	chroot --userspec=65532:65532 $(BIN)/image /stallbook runbooks list
	timeout --preserve-status 5 chroot --userspec=65532:65532 $(BIN)/image /stallbook demo --listen 127.0.0.1:0

clean: ## Remove what was built
	rm -rf $(BIN)
	find $(VENDOR) -type f ! -name .gitkeep -delete
