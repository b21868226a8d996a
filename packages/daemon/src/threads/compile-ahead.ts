import { execFile } from 'node:child_process'
import { constants } from 'node:os'
import { promisify } from 'node:util'
import { compileCacheEnv } from '../processes/compile-cache.ts'

/** Those that are begun together when an archive is made. Imported outside a thread they wait for nothing and end. */
const programs = [
  new URL('../archives/deflate-worker.ts', import.meta.url),
  new URL('../archives/packing-worker.ts', import.meta.url),
]
const timeoutMs = 60_000
const lowest = constants.priority.PRIORITY_LOW

/**
 * Has a process of its own compile what threads run, if there is a place where that is kept: each thread that finds it
 * not compiled loads the compiler, 20 MiB of it. When all is compiled that process takes a tenth of a second. It ends when
 * `leaving` is aborted: it would write into a folder that may be on its way out.
 */
export async function compileAhead(leaving: AbortSignal): Promise<void> {
  const env = compileCacheEnv()
  if (env.NODE_COMPILE_CACHE === undefined) return
  const imports = programs.map(({ href }) => `await import(${JSON.stringify(href)})`)
  const program = [`import { setPriority } from 'node:os'`, `setPriority(${lowest})`, ...imports].join('\n')
  // Of the same options: V8 takes nothing that was compiled with others. But a debugger can only be at one of both.
  const options = process.execArgv.filter((option) => !option.startsWith('--inspect'))
  const compiling = promisify(execFile)(process.execPath, [...options, '--input-type=module', '-e', program], {
    cwd: '/',
    env,
    timeout: timeoutMs,
    signal: leaving,
  })
  const ended = new Promise<unknown>((resolve) => compiling.child.once('exit', resolve))
  try {
    await compiling
  } catch (error) {
    if (!leaving.aborted) throw error
    // It was told to, which is not to say that it did.
    if (compiling.child.pid !== undefined) await ended
  }
}
