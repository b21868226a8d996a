#!/bin/bash
# prom-client 15.1.3: one registry that answers in both text formats of Prometheus, as the scraper's Accept header asks.
# Guess: setContentType before metrics() chooses the format of that answer.
# Seen: the first answer in OpenMetrics takes `_total` off the counters for good, and every later answer in the Prometheus
# format has another name for the same series. A graph of a game server breaks when a second scraper asks once.
set -euo pipefail
tmp=$(mktemp -d); trap 'rm -rf "$tmp"' EXIT
timeout 120 npm install --prefix "$tmp" --no-audit --no-fund --silent prom-client@15.1.3
cat >"$tmp/ask.js" <<'JS'
const { Counter, Registry } = require('prom-client')
const registry = new Registry()
new Counter({ name: 'players_joined_total', help: 'Players that joined', registers: [registry] }).inc()
const ask = async type => { registry.setContentType(type); return registry.metrics() }
const run = async () => {
  console.log(`first:\n${await ask(Registry.PROMETHEUS_CONTENT_TYPE)}`)
  await ask(Registry.OPENMETRICS_CONTENT_TYPE)
  console.log(`second:\n${await ask(Registry.PROMETHEUS_CONTENT_TYPE)}`)
}
run()
JS
output=$(timeout 20 node "$tmp/ask.js"); echo "$output"
first=${output%%second:*} second=${output##*second:}
grep -qx 'players_joined_total 1' <<<"$first"
if grep -q 'players_joined_total' <<<"$second"; then echo "changed: the name stays"; exit 1; fi
grep -qx 'players_joined 1' <<<"$second"
echo "as found: the counter has lost _total in the Prometheus format"
