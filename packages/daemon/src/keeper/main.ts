import { readFileSync, writeFileSync, writeSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { type FileLock, tryLockFile } from './file-lock.ts'
import { Keeper } from './keeper.ts'
import { closeInherited } from './launch.ts'
import { RunFolder } from './run-folder.ts'

/** The keeper's process: `main.ts <run folder> <generation>`. */
const [path, generation] = process.argv.slice(2)
if (path === undefined) throw new Error('Usage: main.ts <run folder> <generation>')
const folder = new RunFolder(path)
// There is one keeper per generation.
const lock = tryLockFile(folder.file(`keeper-${generation}.lock`))
if (lock) await keep(folder, Number(generation), lock)
else log('another keeper of this generation is there: leaving')

async function keep(folder: RunFolder, generation: number, lock: FileLock): Promise<void> {
  closeInherited()
  const oom = '/proc/self/oom_score_adj'
  const before = readFileSync(oom, 'latin1').trim()
  const guard = (score: string) => tryWrite(oom, score)
  const isGuarded = guard('-900')
  const keeper = new Keeper({
    folder,
    generation,
    log,
    spawned: (fork) => {
      if (isGuarded) guard(before)
      try {
        return fork()
      } finally {
        if (isGuarded) guard('-900')
      }
    },
    launcher: ['--disable-warning=ExperimentalWarning', fileURLToPath(new URL('./launch.ts', import.meta.url))],
    environment: process.env,
    onLeave: () => {
      lock.release()
      process.exit(0)
    },
  })

  // Losing every console of the node is worse than going on after a fault.
  process.on('uncaughtException', (error) => log(`fault: ${error.stack ?? String(error)}`))
  for (const signal of ['SIGINT', 'SIGHUP'] as const) process.on(signal, () => undefined)
  process.on('SIGTERM', () => {
    if (keeper.holdsRuns) log('asked to end, but servers are running: staying')
    else void keeper.leave()
  })
  await keeper.open()
  log(`keeper of generation ${generation} is ready`)
}

function log(text: string): void {
  try {
    writeSync(2, `${new Date().toISOString()} [${process.pid}] ${text}\n`)
  } catch {
    // The log's disk is full or gone; there is no other place to say so, and servers must go on.
  }
}

function tryWrite(path: string, text: string): boolean {
  try {
    writeFileSync(path, text)
    return true
  } catch {
    // Needs a right that an ordinary user does not have.
    return false
  }
}
