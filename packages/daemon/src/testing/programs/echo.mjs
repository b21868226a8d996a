// Says `ready`, answers each line with `echo: <line>`; `stop` ends it with 0, `exit <code>` with that code.
import { createInterface } from 'node:readline'

console.log('ready')
createInterface({ input: process.stdin, terminal: false })
  .on('line', (line) => {
    if (line === 'stop') process.exit(0)
    if (line.startsWith('exit ')) process.exit(Number(line.slice(5)))
    if (line === 'size') console.log(`size: ${process.stdout.columns}x${process.stdout.rows}`)
    else console.log(`echo: ${line}`)
  })
  .on('close', () => process.exit(0))
process.stdout.on('resize', () => console.log(`resized: ${process.stdout.columns}x${process.stdout.rows}`))
