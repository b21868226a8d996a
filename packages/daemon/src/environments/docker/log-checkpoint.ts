import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { safeParseJson } from '@innkeeper/contract/text/parse-json'
import { z } from 'zod'
import { writeFileAtomic } from '../../fs/atomic-write.ts'
import { readTextIfExists } from '../../fs/if-exists.ts'

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
  const getPath = (run: string) => join(dir, `${run}.json`)
  return {
    async load(run) {
      const text = await readTextIfExists(getPath(run))
      if (text === undefined) return undefined
      const { data, error } = safeParseJson(LogCheckpoint, text)
      if (error) throw new Error(`failed to read ${getPath(run)}`, { cause: error })
      return data
    },
    async save(run, checkpoint) {
      await mkdir(dir, { recursive: true, mode: 0o700 })
      await writeFileAtomic(getPath(run), JSON.stringify(checkpoint), { fsync: false })
    },
    async remove(run) {
      await rm(getPath(run), { force: true })
    },
  }
}
