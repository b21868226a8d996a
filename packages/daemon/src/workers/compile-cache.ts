import { getCompileCacheDir } from 'node:module'
import { dirname } from 'node:path'

/** Environment variables with which a child process or thread shares the compile cache of this process, if it has one. */
export function compileCacheEnv(): Readonly<Record<string, string>> {
  const current = getCompileCacheDir()
  // Node.js returns the directory of its version and flags, inside the one to set.
  return current === undefined ? {} : { NODE_COMPILE_CACHE: dirname(current) }
}
