// `legacy-console.mjs <hex>`: prints bytes given as hexadecimal digits, and what it reads as such digits. Ends at 停 in GBK.
import { createInterface } from 'node:readline'

process.stdout.write(Buffer.from(process.argv[2] ?? '', 'hex'))
for await (const line of createInterface({ input: process.stdin.setEncoding('latin1') })) {
  const [command, hex = ''] = line.split(' ')
  if (command === 'print') process.stdout.write(Buffer.from(hex, 'hex'))
  else process.stdout.write(`read ${Buffer.from(line, 'latin1').toString('hex')}\n`)
  if (Buffer.from(line, 'latin1').toString('hex') === 'cda3') process.exit()
}
