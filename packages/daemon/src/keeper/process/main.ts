import { readFileSync, writeFileSync, writeSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { closeInheritedFds } from '../launch.ts'
import { RunFolder } from '../protocol.ts'
import { type FileLock, tryLockFile } from './file-lock.ts'
import { Keeper } from './keeper.ts'

/**
 * The keeper's entry point: `main.ts <run directory> <generation>`. Without arguments it only fills the compile cache:
 * stripping types at start would make the permanent process 18 MiB larger.
 */
const [path, generation] = process.argv.slice(2)
// There is one keeper per generation.
const folder = path === undefined ? undefined : new RunFolder(path)
const lock = folder && tryLockFile(folder.file(`keeper-${generation}.lock`))
if (folder && lock) await keep(folder, Number(generation), lock)
else if (folder) log('another keeper of this generation is running: exiting')
else await import('./terminal-process.ts')

async function keep(folder: RunFolder, generation: number, lock: FileLock): Promise<void> {
  closeInheritedFds()
  const oom = '/proc/self/oom_score_adj'
  const before = readFileSync(oom, 'latin1').trim()
  const guard = (score: string) => tryWrite(oom, score)
  const isGuarded = guard('-900')
  const keeper = new Keeper({
    folder,
    generation,
    log,
    spawnGuarded: (fork) => {
      if (isGuarded) guard(before)
      try {
        return fork()
      } finally {
        if (isGuarded) guard('-900')
      }
    },
    launcher: ['--disable-warning=ExperimentalWarning', fileURLToPath(new URL('../launch.ts', import.meta.url))],
    environment: process.env,
    onShutdown: () => {
      lock.release()
      process.exit(0)
    },
  })

  // Losing every console of the node is worse than continuing after an exception.
  process.on('uncaughtException', (error) => log(`uncaught exception: ${error.stack ?? String(error)}`))
  for (const signal of ['SIGINT', 'SIGHUP'] as const) process.on(signal, () => undefined)
  process.on('SIGTERM', () => {
    if (keeper.hasRuns) log('asked to exit, but servers are running: continuing')
    else void keeper.shutdown()
  })
  await keeper.open()
  log(`keeper of generation ${generation} is ready`)
}

function log(text: string): void {
  try {
    writeSync(2, `${new Date().toISOString()} [${process.pid}] ${text}\n`)
  } catch {
    // The disk of the log is full or gone; there is no other place to report it, and servers must continue.
  }
}

function tryWrite(path: string, text: string): boolean {
  try {
    writeFileSync(path, text)
    return true
  } catch {
    // Needs CAP_SYS_RESOURCE.
    return false
  }
}
