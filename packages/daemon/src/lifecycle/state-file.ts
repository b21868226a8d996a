import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { GameStatus } from '@innkeeper/contract/servers/players'
import { LastExit, LastInstall, NotResponding, ServerPrompt, Sleeping } from '@innkeeper/contract/servers/status'
import { safeParseJson } from '@innkeeper/contract/text/parse-json'
import { z } from 'zod'
import { writeFileAtomicSync } from '../fs/atomic-write.ts'
import { readTextIfExistsSync } from '../fs/if-exists.ts'
import type { State } from './rules.ts'

const afterStop = z.enum(['rest', 'start', 'install'])
const crashes = z.number().int().min(0)

/** A question to users after a line of the output, and the process that printed it. */
const Asked = z.object({ run: z.string(), prompt: ServerPrompt })
export type Asked = z.infer<typeof Asked>

/** That a process does not respond. */
const Unresponsive = z.object({ run: z.string(), notResponding: NotResponding })
export type Unresponsive = z.infer<typeof Unresponsive>

/** That a server sleeps, and what its game has answered last. */
const SavedSleep = z.object({ sleeping: Sleeping, game: GameStatus })
export type SavedSleep = z.infer<typeof SavedSleep>

/** The liveness checks that a process has passed. */
const PassedChecks = z.object({ run: z.string(), checks: z.array(z.string()) })
export type PassedChecks = z.infer<typeof PassedChecks>

const SavedState = z.object({
  state: z.discriminatedUnion('is', [
    z.object({ is: z.literal('offline') }),
    z.object({ is: z.literal('installing'), next: z.enum(['rest', 'start']) }),
    z.object({ is: z.literal('starting'), crashes }),
    // SavedState before ready patterns existed: nothing to wait for.
    z.object({ is: z.literal('online'), crashes, isReady: z.boolean().default(true) }),
    z.object({
      is: z.literal('stopping'),
      of: z.enum(['server', 'start', 'install']),
      by: z.enum(['asking', 'killing']),
      next: afterStop,
    }),
    z.object({
      is: z.literal('ending'),
      next: z.union([z.object({ do: afterStop }), z.object({ do: z.literal('startAgain'), afterMs: z.number() })]),
      crashes,
    }),
    z.object({ is: z.literal('waiting'), crashes, forMs: z.number(), isAsked: z.boolean().default(false) }),
  ]) satisfies z.ZodType<State>,
  since: z.iso.datetime(),
  /** The process and its launch time (epoch milliseconds). */
  run: z.object({ id: z.string(), launchedMs: z.number() }).optional(),
  /** When the time of the requested stop is over (epoch milliseconds). */
  stopUntilMs: z.number().optional(),
  /** The exit, for the post steps. */
  exit: z
    .object({
      code: z.number().nullable(),
      signal: z.string().nullable(),
      isOutOfMemory: z.boolean().optional(),
    })
    .optional(),
  /** The reason of the last exit, for users. */
  lastExit: z.optional(LastExit),
  lastInstall: z.optional(LastInstall),
  asked: Asked.optional().catch(undefined),
  unresponsive: Unresponsive.optional().catch(undefined),
  sleep: SavedSleep.optional().catch(undefined),
  passedChecks: PassedChecks.optional().catch(undefined),
})

/** The state of a server that survives a restart of the daemon. */
export type SavedState = z.infer<typeof SavedState>

export interface StateFile {
  /** Returns undefined when there is no file. */
  load(): SavedState | undefined
  save(saved: SavedState): void
  remove(): void
}

/** The saved states of all servers of a node: `<dir>/<id>.json`. */
export function stateFiles(dir: string): (id: string) => StateFile {
  mkdirSync(dir, { recursive: true, mode: 0o700 })
  return (id) => stateFile(join(dir, `${id}.json`))
}

/**
 * Written synchronously, because an action must be on disk before it is carried out: otherwise a requested stop could
 * look like a crash to the next daemon. It need not survive a reboot: no process does. No fsync.
 */
export function stateFile(path: string): StateFile {
  /** The content of the file. After a restart of the daemon most states are saved unchanged. */
  let text: string | undefined
  return {
    load() {
      text = readTextIfExistsSync(path)
      if (text === undefined) return undefined
      const { data, error } = safeParseJson(SavedState, text)
      if (error) throw new Error(`failed to read ${path}`, { cause: error })
      return data
    },
    save(saved) {
      const changed = JSON.stringify(saved)
      if (changed === text) return
      writeFileAtomicSync(path, changed, { fsync: false })
      text = changed
    },
    remove() {
      rmSync(path, { force: true })
      text = undefined
    },
  }
}
