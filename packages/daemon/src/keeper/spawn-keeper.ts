import { execFile, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { closeSync, linkSync, openSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { isGone } from './process-stat.ts'
import type { RunFolder } from './run-folder.ts'

const program = fileURLToPath(new URL('./main.ts', import.meta.url))
const logBytes = 1024 * 1024

/**
 * Starts a keeper that has nothing of us: own session, clean environment, its log for output. It leaves again by
 * itself when another one of this generation is there.
 */
export async function spawnKeeper(folder: RunFolder, generation: number): Promise<void> {
  const env = {
    PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
    NODE_COMPILE_CACHE: folder.file('compiled'),
  }
  // A first process compiles into the cache, so that the one that stays need not load the compiler.
  if (program.endsWith('.ts')) await promisify(execFile)(process.execPath, [program], { env, cwd: '/' })

  const log = openLog(folder.file('keeper.log'))
  const lock = `innkeeper-${lockName(folder)}-${generation}`
  const keeper = spawn(process.execPath, [program, folder.path, String(generation), lock], {
    detached: true,
    cwd: '/',
    env,
    stdio: ['ignore', log, log],
  })
  await new Promise<void>((resolve, reject) => {
    keeper.once('spawn', resolve)
    keeper.once('error', reject)
  }).finally(() => closeSync(log))
  keeper.unref()
}

/** The folder's own secret name for its locks: created once, by whoever is first, and never changed. */
function lockName(folder: RunFolder): string {
  const [path, mine] = [folder.file('lock'), folder.file(`.lock.${process.pid}.${randomBytes(4).toString('hex')}`)]
  writeFileSync(mine, randomBytes(16).toString('hex'), { mode: 0o600 })
  try {
    linkSync(mine, path)
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error
  } finally {
    rmSync(mine)
  }
  return readFileSync(path, 'utf8')
}

function openLog(path: string): number {
  try {
    if (statSync(path).size > logBytes) renameSync(path, `${path}.1`)
  } catch (error) {
    if (!isGone(error)) throw error
  }
  return openSync(path, 'a', 0o600)
}
