import { access, constants, stat } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { Refusal } from '@innkeeper/contract/errors/refusals'
import type { LaunchOptions } from '../processes/run.ts'

/** The search path of a program without the variable PATH, as in `execvp`. */
const fallbackPath = '/usr/local/bin:/usr/bin:/bin'

/** Returns the options with the program's absolute path. Throws ErrMissingBinary or ErrMissingDirectory. */
export async function locateProgram(plan: LaunchOptions): Promise<LaunchOptions> {
  if (!(await isFolder(plan.cwd))) throw new Refusal('ErrMissingDirectory', { path: plan.cwd })
  for (const path of candidates(plan)) if (await isProgram(path)) return { ...plan, file: path }
  throw new Refusal('ErrMissingBinary', { expected: plan.file })
}

/** Like `execvp`: a name with a slash is a path, anything else is looked up in PATH. */
function candidates({ file, cwd, env }: LaunchOptions): readonly string[] {
  if (file === '') return []
  if (file.includes('/')) return [resolve(cwd, file)]
  return (env.PATH ?? fallbackPath).split(':').map((folder) => join(resolve(cwd, folder), file))
}

async function isFolder(path: string): Promise<boolean> {
  return (await readKind(path))?.isDirectory() ?? false
}

/** Whether this is a file that may be executed. An inaccessible file is none. */
export async function isProgram(path: string): Promise<boolean> {
  if (!(await readKind(path))?.isFile()) return false
  return access(path, constants.X_OK).then(
    () => true,
    () => false,
  )
}

/** An inaccessible path counts as missing: nothing can be started there. */
function readKind(path: string) {
  return stat(path).catch(() => undefined)
}

/** Where programs are looked up: the `PATH` of servers, and of programs that the daemon runs itself. */
export const standardPath = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin:/usr/local/games:/usr/games'
