// Writes the same number to two files, one after the other, again and again. Says each thousandth number.
import { renameSync, writeFileSync } from 'node:fs'

const write = (name, text) => {
  writeFileSync('new', text)
  renameSync('new', name)
}
let count = 0
setInterval(() => {
  for (let end = count + 100; count < end; count++) {
    write('first', String(count))
    write('second', String(count))
  }
  console.log(`count ${count}`)
}, 20)
