import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'

/** A timestamp in the engine's log and the output offset at which its entry begins. */
const LogCheckpoint = z.object({ time: z.string(), offset: z.number().int().min(0) })
export type LogCheckpoint = z.infer<typeof LogCheckpoint>

/** The log checkpoints of a node's containers: `<dir>/<run>.json`. */
export interface LogCheckpoints {
  load(run: string): Promise<LogCheckpoint | undefined>
  save(run: string, checkpoint: LogCheckpoint): Promise<void>
  remove(run: string): Promise<void>
}

export function logCheckpointFiles(dir: string): LogCheckpoints {
  const pathOf = (run: string) => join(dir, `${run}.json`)
  return {
    async load(run) {
      try {
        return LogCheckpoint.parse(JSON.parse(await readFile(pathOf(run), 'utf8')))
      } catch (cause) {
        if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return undefined
        throw new Error(`failed to read ${pathOf(run)}`, { cause })
      }
    },
    async save(run, checkpoint) {
      await mkdir(dir, { recursive: true, mode: 0o700 })
      await writeFile(`${pathOf(run)}.new`, JSON.stringify(checkpoint), { mode: 0o600 })
      await rename(`${pathOf(run)}.new`, pathOf(run))
    },
    async remove(run) {
      await rm(pathOf(run), { force: true })
      await rm(`${pathOf(run)}.new`, { force: true })
    },
  }
}
