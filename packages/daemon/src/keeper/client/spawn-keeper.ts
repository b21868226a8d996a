import { execFile, spawn } from 'node:child_process'
import { closeSync, openSync, renameSync, statSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { isProcessGone } from '../../proc/process-stat.ts'
import { compileCacheEnv } from '../../workers/start-worker.ts'
import type { RunFolder } from '../protocol.ts'

const program = fileURLToPath(new URL('../process/main.ts', import.meta.url))
const logBytes = 1024 * 1024

/** Ends when the compile cache is full: once for all keepers that this process starts. */
let filling: Promise<unknown> | undefined

/**
 * Starts a detached keeper: own session, clean environment, output to its log file. It exits by itself when another one
 * of this generation runs.
 */
export async function spawnKeeper(folder: RunFolder, generation: number): Promise<void> {
  const env = { PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin', ...compileCacheEnv() }
  // A first process fills the compile cache, so that the permanent one need not load the compiler.
  filling ??= promisify(execFile)(process.execPath, [program], { env, cwd: '/' }).catch((cause: unknown) => {
    filling = undefined
    throw cause
  })
  await filling

  const log = openLog(folder.file('keeper.log'))
  const keeper = spawn(process.execPath, [program, folder.path, String(generation)], {
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

function openLog(path: string): number {
  try {
    if (statSync(path).size > logBytes) renameSync(path, `${path}.1`)
  } catch (error) {
    if (!isProcessGone(error)) throw error
  }
  return openSync(path, 'a', 0o600)
}
