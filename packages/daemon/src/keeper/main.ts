import { readFileSync, writeFileSync, writeSync } from 'node:fs'
import { createServer } from 'node:net'
import { fileURLToPath } from 'node:url'
import { Keeper } from './keeper.ts'
import { closeInherited } from './launch.ts'
import { RunFolder } from './run-folder.ts'

/**
 * The keeper's process: `main.ts <run folder> <generation> <lock>`, and `main.ts` alone to do nothing, which leaves the
 * compiled code in the cache: with the sources to strip, the runtime is 18 MiB larger for as long as it lives.
 */
const [path, generation, lock] = process.argv.slice(2)
if (path && generation && lock) await keep(path, Number(generation), lock)
else await import('./terminal-process.ts')

async function keep(path: string, generation: number, lock: string): Promise<void> {
  if (!(await isTaken(lock))) return log('another keeper of this generation is there: leaving')
  closeInherited()
  const oom = '/proc/self/oom_score_adj'
  const before = readFileSync(oom, 'latin1').trim()
  const guard = (score: string) => tryWrite(oom, score)
  const isGuarded = guard('-900')
  const keeper = new Keeper({
    folder: new RunFolder(path),
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
    onLeave: () => process.exit(0),
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

/** An abstract socket is a lock that the kernel releases with its process, however that ends. */
function isTaken(lock: string): Promise<boolean> {
  return new Promise((resolve, reject) => {
    createServer((socket) => socket.destroy())
      .on('error', (error) => ('code' in error && error.code === 'EADDRINUSE' ? resolve(false) : reject(error)))
      .listen(`\0${lock}`, () => resolve(true))
  })
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
