import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'

/** Sends SIGTERM to the keepers in the run folder of a data folder. A keeper without servers exits; others keep running. */
export async function stopKeepers(runDir: string): Promise<void> {
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
