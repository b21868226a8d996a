// `flood.mjs <bytes>`: prints that many bytes as fast as they are taken, in numbered lines of 64 bytes, then exits with 0.
import { writeSync } from 'node:fs'

const total = Number(process.argv[2])
const lines = 1024
let line = 0
for (let written = 0; written < total; ) {
  let text = ''
  for (let n = 0; n < lines; n++) text += `${String(line++).padStart(12, '0')} ${'x'.repeat(50)}\n`
  for (let bytes = Buffer.from(text).subarray(0, total - written); bytes.length > 0; ) {
    const taken = writeSync(1, bytes)
    written += taken
    bytes = bytes.subarray(taken)
  }
}
