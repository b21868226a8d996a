import { readdir, readlink } from 'node:fs/promises'
import { ignoreErrors } from '../errors/error-code.ts'

/** Returns the executables of all readable processes: those of the own user, or all for root. */
export async function runningExecutables(): Promise<readonly string[]> {
  const files: string[] = []
  for (const name of await readdir('/proc')) {
    if (!/^\d+$/.test(name)) continue
    // Exited meanwhile, a kernel thread, or of another user.
    const unreadable = ignoreErrors('ENOENT', 'ESRCH', 'EACCES', 'EPERM')
    const file = await readlink(`/proc/${name}/exe`).catch(unreadable)
    if (file !== undefined) files.push(file)
  }
  return files
}
