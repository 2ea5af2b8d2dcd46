# What `build`, `up` and `down` have in common; to be sourced.
# One node in a network namespace of its own, with addresses of the range for benchmarks (RFC 2544):
# nothing outside the namespace reaches it, and it reaches nothing.
version=${KUBERNETES_VERSION:-1.34.4}
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
mkdir -p "$root/node_modules/.cache/cluster"
# Mounts are told by their real paths.
cache=$(cd "$root/node_modules/.cache/cluster" && pwd -P)
programs=$cache/$version
state=$cache/run
namespace=fnlet-cluster
nodeAddress=198.18.0.1
podRange=198.18.64.0/18
serviceRange=198.19.0.0/16
dnsAddress=198.19.0.10

inside() { nsenter --net="/var/run/netns/$namespace" "$@"; }
