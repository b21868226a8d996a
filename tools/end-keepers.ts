import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'

/** The keepers of a data folder outlive everything else of ours; with no server left they leave when asked. */
export async function endKeepers(runDir: string): Promise<void> {
  for (const name of await readdir(runDir)) {
    if (!/^keeper-.*\.json$/.test(name)) continue
    const { keeper } = JSON.parse(await readFile(join(runDir, name), 'utf8')) as { keeper: { pid: number } }
    try {
      process.kill(keeper.pid, 'SIGTERM')
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
    }
  }
}
