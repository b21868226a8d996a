import { readdir, readlink } from 'node:fs/promises'
import { codeOf } from '../files/error-code.ts'

/** Returns the executables of all readable processes: those of the own user, or all for root. */
export async function runningExecutables(): Promise<readonly string[]> {
  const files: string[] = []
  for (const name of await readdir('/proc')) {
    if (!/^\d+$/.test(name)) continue
    try {
      files.push(await readlink(`/proc/${name}/exe`))
    } catch (error) {
      // Exited meanwhile, a kernel thread, or of another user.
      if (!['ENOENT', 'ESRCH', 'EACCES', 'EPERM'].includes(codeOf(error))) throw error
    }
  }
  return files
}
