#!/bin/bash
# yazl 3.3.1 (npm), a writer of zip files, with many entries that are added one after the other, as its readme recommends.
# Guess: the CPU time grows with the number of entries: four times as many take about four times as long.
# Seen: it looks through the list of all entries from the start, twice for each entry. 10,000 folders take 0.5 s and 40,000 take 7.7 s.
# No documented use avoids it. Two more things that the readme does not say: a time before 1970 throws ERR_OUT_OF_RANGE when the list of
# entries is written, and a name with a backslash is stored with a slash, so that a\b.txt, a name that Linux allows, becomes a file b.txt in
# a folder a.
set -euo pipefail
tmp=$(mktemp -d); trap 'rm -rf "$tmp"' EXIT; cd "$tmp"
echo '{}' >package.json
timeout 120 npm install --silent --no-audit --no-fund --ignore-scripts yazl@3.3.1
cat >try.cjs <<'JS'
const { ZipFile } = require('yazl')
async function pack(count) {
  const zip = new ZipFile()
  zip.outputStream.resume()
  const before = process.cpuUsage()
  for (let at = 0; at < count; at++) {
    zip.addEmptyDirectory(`folder-${at}`)
    if (at % 100 === 0) await new Promise(setImmediate)
  }
  zip.end()
  await new Promise((resolve) => zip.outputStream.once('end', resolve))
  return process.cpuUsage(before).user / 1e6
}
async function timeBefore1970() {
  const zip = new ZipFile()
  zip.addEmptyDirectory('old', { mtime: new Date(-86_400_000) })
  try {
    zip.end()
    return 'stored'
  } catch (error) {
    return error.code
  }
}
async function nameWithBackslash() {
  const zip = new ZipFile()
  zip.addBuffer(Buffer.from('text'), 'a\\b.txt')
  zip.end()
  const chunks = []
  for await (const chunk of zip.outputStream) chunks.push(chunk)
  return Buffer.concat(chunks).includes('a/b.txt') ? 'a/b.txt' : 'other'
}
async function main() {
  await pack(1_000)
  const [few, many] = [await pack(10_000), await pack(40_000)]
  console.log(`10,000 entries: ${few.toFixed(2)} s of CPU; 40,000 entries: ${many.toFixed(2)} s, ${(many / few).toFixed(1)} times as long`)
  const [time, name] = [await timeBefore1970(), await nameWithBackslash()]
  console.log(`a time before 1970: ${time}; the name a\\b.txt: ${name}`)
  if (many / few < 6 || time !== 'ERR_OUT_OF_RANGE' || name !== 'a/b.txt') process.exit(1)
}
main()
JS
timeout 300 node try.cjs
echo "as found: the time grows with the square of the number of entries"
