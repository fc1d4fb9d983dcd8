#!/usr/bin/env bash
# Makes stand-ins for the public images that deploy/Dockerfile and docker-compose.yml name, from Debian packages, for
# machines that cannot pull from an image registry. An image that is there already, real or not, is left alone.
# The certificates of this machine go into the base, so that pip inside a build trusts what this machine trusts.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
base=strata-standin/debian:bookworm

exists() { docker image inspect "$1" >/dev/null 2>&1; }

make_base() {
    exists "$base" && return
    local folder
    folder=$(mktemp -d)
    trap 'rm -rf "$folder"' RETURN
    mmdebstrap --format=tar --variant=minbase --include=ca-certificates \
        --customize-hook='cp /etc/ssl/certs/ca-certificates.crt "$1"/etc/ssl/certs/ca-certificates.crt' \
        --dpkgopt='path-exclude=/usr/share/man/*' --dpkgopt='path-exclude=/usr/share/doc/*' \
        bookworm "$folder/base.tar" 2>"$folder/log" || { cat "$folder/log" >&2; return 1; }
    docker import --change 'ENV SSL_CERT_FILE=/etc/ssl/certs/ca-certificates.crt PIP_CERT=/etc/ssl/certs/ca-certificates.crt' \
        "$folder/base.tar" "$base" >/dev/null
}

for image in python:3.11-slim-bookworm redis:7-bookworm; do
    exists "$image" && continue
    make_base
    echo "standing in for $image"
    DOCKER_BUILDKIT=0 docker build --quiet --tag "$image" --file "$here/${image%%:*}.Dockerfile" "$here" >/dev/null
done
