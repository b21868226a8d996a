#!/bin/sh
# Starts Innkeeper with the Node.js that it was packaged with.
root=$(dirname "$(dirname "$(readlink -f "$0")")")
exec "$root/bin/node" --max-semi-space-size=4 --max-old-space-size=1024 "$root/packages/cli/dist/main.js" "$@"
