import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { LastExit } from '@innkeeper/contract/status'
import { z } from 'zod'
import type { State } from './rules.ts'

const wanted = z.enum(['rest', 'start', 'install'])
const crashes = z.number().int().min(0)

const Saved = z.object({
  state: z.discriminatedUnion('is', [
    z.object({ is: z.literal('offline') }),
    z.object({ is: z.literal('installing'), next: z.enum(['rest', 'start']) }),
    z.object({ is: z.literal('starting'), crashes }),
    // Before there were ready patterns it had none to wait for.
    z.object({ is: z.literal('online'), crashes, isReady: z.boolean().default(true) }),
    z.object({
      is: z.literal('stopping'),
      of: z.enum(['server', 'start', 'install']),
      by: z.enum(['asking', 'killing']),
      next: wanted,
    }),
    z.object({
      is: z.literal('ending'),
      next: z.union([z.object({ do: wanted }), z.object({ do: z.literal('startAgain'), afterMs: z.number() })]),
      crashes,
    }),
    z.object({ is: z.literal('waiting'), crashes, forMs: z.number(), isAsked: z.boolean().default(false) }),
  ]) satisfies z.ZodType<State>,
  since: z.iso.datetime(),
  /** The process, and when it was launched (epoch milliseconds). */
  run: z.object({ id: z.string(), launchedMs: z.number() }).optional(),
  /** How it ended, for the post steps. */
  exit: z
    .object({
      code: z.number().nullable(),
      signal: z.string().nullable(),
      isOutOfMemory: z.boolean().optional(),
    })
    .optional(),
  /** Why it does not run any more, for people. */
  lastExit: LastExit.optional(),
})

/** What of a server's life must survive the daemon. */
export type Saved = z.infer<typeof Saved>

export interface StateFile {
  /** `undefined` when there is none yet. */
  load(): Saved | undefined
  save(saved: Saved): void
  remove(): void
}

/** The states of all servers of a node: `<dir>/<id>.json`. */
export function stateFiles(dir: string): (id: string) => StateFile {
  mkdirSync(dir, { recursive: true, mode: 0o700 })
  return (id) => stateFile(join(dir, `${id}.json`))
}

/**
 * Written at once and without a wait, because a wish must be on disk before it is carried out: else a stop that was
 * asked for could look like a crash to the next daemon. It need not survive the machine: no process does.
 */
export function stateFile(path: string): StateFile {
  return {
    load() {
      try {
        return Saved.parse(JSON.parse(readFileSync(path, 'utf8')))
      } catch (cause) {
        if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return undefined
        throw new Error(`${path} cannot be read`, { cause })
      }
    },
    save(saved) {
      writeFileSync(`${path}.new`, JSON.stringify(saved), { mode: 0o600 })
      renameSync(`${path}.new`, path)
    },
    remove() {
      rmSync(path, { force: true })
    },
  }
}
