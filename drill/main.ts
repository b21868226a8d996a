import { globSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Drill } from './stage/drill.ts'

/**
 * `npm run drill [-- words]`: what only whole machines, networks and clusters can show, each on stages of this machine
 * alone. A word is the name of a file of this folder; without words all of them. Ends with `N passed, N failed`.
 */
const here = dirname(fileURLToPath(import.meta.url))
const known = globSync('*.ts', { cwd: here, exclude: ['main.ts'] })
  .map((file) => basename(file, '.ts'))
  .sort()
const words = process.argv.slice(2)
const strange = words.filter((word) => !known.includes(word))
if (strange.length > 0) {
  console.error(`There is no drill '${strange.join("', '")}'; there are ${known.join(', ')}.`)
  process.exit(2)
}
if (process.getuid?.() !== 0) {
  console.error('A drill makes networks and users of its own: run it as root.')
  process.exit(2)
}

const leaving = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.on(signal, () => {
    // Who asks twice does not wait for anything to be taken down.
    if (leaving.signal.aborted) process.exit(130)
    leaving.abort(new Error(`ended by ${signal}`))
  })

const drill = new Drill(leaving.signal)
for (const name of words.length > 0 ? words : known) {
  if (leaving.signal.aborted) break
  const { run } = (await import(`./${name}.ts`)) as { run(drill: Drill): Promise<void> }
  await drill.stage(name, run)
}
console.log(`${drill.passed} passed, ${drill.failed} failed`)
process.exit(leaving.signal.aborted ? 130 : drill.failed > 0 || drill.passed === 0 ? 1 : 0)
