# Each step is a make target, so that it can be run and tested without Docker:
# make static, make image-root, make image-check.

FROM node:20-bookworm-slim AS static
RUN apt-get update && apt-get install -y --no-install-recommends make && rm -rf /var/lib/apt/lists/*
WORKDIR /src
COPY Makefile package.json package-lock.json .npmrc ./
COPY static/vendor static/vendor
RUN make static

FROM golang:1.26-bookworm AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
COPY --from=static /src/static/vendor static/vendor
ARG VERSION=development
ARG COMMIT=unknown
RUN make image-root VERSION=${VERSION} COMMIT=${COMMIT}

FROM scratch
# The user owns all of it, /data and /tmp above all; the program itself is not
# writable for anyone.
COPY --from=build --chown=65532:65532 /src/bin/image/ /
USER 65532:65532
WORKDIR /data
VOLUME /data
EXPOSE 8080
ENTRYPOINT ["/stallbook"]
CMD ["serve", "--config", "/data/stallbook.yaml"]
