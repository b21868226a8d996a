// Says `ready` and answers each line with `alive`. After `hang` it uses one core and answers no more, `stop` ends it.
import { createInterface } from 'node:readline'

console.log('ready')
createInterface({ input: process.stdin, terminal: false }).on('line', (line) => {
  if (line === 'stop') process.exit(0)
  if (line === 'hang') for (;;);
  console.log('alive')
})
