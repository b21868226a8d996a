import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'

/** A place in the engine's log of which the offset is known: what has this time begins there. */
const Anchor = z.object({ time: z.string(), offset: z.number().int().min(0) })
export type Anchor = z.infer<typeof Anchor>

/** The known places in the logs of a node's containers, by run: `<dir>/<run>.json`. */
export interface Anchors {
  load(run: string): Promise<Anchor | undefined>
  save(run: string, anchor: Anchor): Promise<void>
  remove(run: string): Promise<void>
}

export function anchorFiles(dir: string): Anchors {
  const pathOf = (run: string) => join(dir, `${run}.json`)
  return {
    async load(run) {
      try {
        return Anchor.parse(JSON.parse(await readFile(pathOf(run), 'utf8')))
      } catch (cause) {
        if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return undefined
        throw new Error(`${pathOf(run)} cannot be read`, { cause })
      }
    },
    async save(run, anchor) {
      await mkdir(dir, { recursive: true, mode: 0o700 })
      await writeFile(`${pathOf(run)}.new`, JSON.stringify(anchor), { mode: 0o600 })
      await rename(`${pathOf(run)}.new`, pathOf(run))
    },
    async remove(run) {
      await rm(pathOf(run), { force: true })
      await rm(`${pathOf(run)}.new`, { force: true })
    },
  }
}
