import { readdir, readlink } from 'node:fs/promises'
import { codeOf } from '../files/error-code.ts'

/** The files that processes of this machine run, as far as they may be known: of our own user all, and for root all. */
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
