// `count.mjs <lines per second> [last]`: prints 1, 2, 3 … at that rate, until `last` or a line `stop`; then exits with 7.
import { writeSync } from 'node:fs'

const [rate, last = Number.POSITIVE_INFINITY] = process.argv.slice(2).map(Number)
const begin = performance.now()
let printed = 0
let isStopping = false
process.stdin.on('data', (data) => {
  isStopping ||= data.toString().includes('stop')
})

setInterval(() => {
  const due = Math.min(last, Math.floor(((performance.now() - begin) / 1000) * rate))
  let text = ''
  while (printed < due) text += `${++printed}\n`
  for (let bytes = Buffer.from(text); bytes.length > 0; ) bytes = bytes.subarray(writeSync(1, bytes))
  if (isStopping || printed >= last) process.exit(7)
}, 10)
