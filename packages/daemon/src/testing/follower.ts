import { appendFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { openKeeperPool } from '../keeper/client/keeper-pool.ts'
import type { Run } from '../processes/run.ts'
import { getPlan } from './keepers.ts'

/**
 * A minimal daemon to be killed: `follower.ts <data directory> <output directory> [servers to start] [lines per second]
 * [last]` follows every run, writes its output to a file, acknowledges it, and records exits. Prints `following`.
 */
const [dataDir = '', folder = '', servers = '0', rate = '1000', last = ''] = process.argv.slice(2)
const silent = () => undefined
const keepers = await openKeeperPool({ dataDir, log: { info: silent, warn: silent, error: silent } })
const runs = [...keepers.runs]
for (let n = 0; n < Number(servers); n++)
  runs.push(await keepers.start(getPlan(`${n}/main`, 'count', [rate, ...(last ? [last] : [])])))
for (const run of runs) follow(run)
console.log('following')

function follow(run: Run): void {
  const file = join(folder, run.key.replace('/', '-'))
  const stored = statSync(file, { throwIfNoEntry: false })?.size ?? 0
  run.follow(stored, (data, from) => {
    if (from !== statSync(file, { throwIfNoEntry: false })?.size && from !== 0)
      appendFileSync(file, `[gap before ${from}]`)
    appendFileSync(file, data)
    run.acknowledge(from + data.length)
  })
  void run.exited.then((exit) => writeFileSync(`${file}.exit`, JSON.stringify(exit)))
}
