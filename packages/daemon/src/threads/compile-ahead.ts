import { execFile } from 'node:child_process'
import { getCompileCacheDir } from 'node:module'
import { constants, setPriority } from 'node:os'
import { dirname } from 'node:path'
import { promisify } from 'node:util'

/** Those that are begun together when an archive is made. Imported outside a thread they wait for nothing and end. */
const programs = ['../archives/deflate-worker.ts', '../archives/packing-worker.ts'].map(
  (path) => new URL(path, import.meta.url).href,
)
const timeoutMs = 60_000

/**
 * Has a process of its own compile what threads run, if there is a place where that is kept: each thread that finds it
 * not compiled loads the compiler, 20 MiB of it. When all is compiled that process takes a tenth of a second.
 */
export async function compileAhead(): Promise<void> {
  const compiled = getCompileCacheDir()
  if (compiled === undefined) return
  const program = programs.map((url) => `await import(${JSON.stringify(url)})`).join('\n')
  // Of the same options: V8 takes nothing that was compiled with others.
  const compiling = promisify(execFile)(process.execPath, [...process.execArgv, '--input-type=module', '-e', program], {
    cwd: '/',
    env: { NODE_COMPILE_CACHE: dirname(compiled) },
    timeout: timeoutMs,
  })
  if (compiling.child.pid !== undefined) setPriority(compiling.child.pid, constants.priority.PRIORITY_LOW)
  compiling.child.unref()
  await compiling
}
