// Says `ready` and answers each line with `alive`. After `hang` it uses one core and answers no more, after `save` until
// it has written 2 MiB. `stop` ends it.
import { writeFileSync } from 'node:fs'
import { createInterface } from 'node:readline'

console.log('ready')
createInterface({ input: process.stdin, terminal: false }).on('line', (line) => {
  if (line === 'stop') process.exit(0)
  if (line === 'hang') for (;;);
  if (line === 'save') while (!isSaved());
  console.log('alive')
})

function isSaved() {
  try {
    writeFileSync('save', Buffer.alloc(2 * 1024 * 1024, 'x'))
    return true
  } catch {
    return false
  }
}
