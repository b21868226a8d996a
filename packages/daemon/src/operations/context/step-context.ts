import type { BuiltIns, PlayerFacts } from '@innkeeper/contract/definitions/conditions'
import type { PowerAction, StepFields } from '@innkeeper/contract/definitions/operations'
import type { Variables } from '@innkeeper/contract/definitions/variables'
import type { RootFs } from '../../files/root.ts'
import type { Fetcher } from '../../network/fetch.ts'
import type { Exit } from '../../processes/run.ts'
import type { SharedStore } from '../../runtimes/shared-store.ts'
import type { ConfigWorker } from './config-worker.ts'
import type { FilledText } from './filled-command.ts'
import type { RegexWorker } from './replace.ts'

/** Options for running a program of a step. */
export interface CommandOptions {
  /** Added to the environment of the server's processes. */
  readonly env?: Readonly<Record<string, string>>
  /** The arguments with values of users, which must not lead out of the server's directory. */
  readonly chosen?: readonly FilledText[]
}

/** What steps work with: files, values and console of one server. */
export interface StepContext {
  readonly files: RootFs
  /** The values of `${name}`: variables, `serverId`, `rootDir`, and `success` after a run. Updated by `setVariable`. */
  readonly values: ReadonlyMap<string, string>
  /** What `values` are, as far as they are variables of the definition. */
  readonly variables?: Variables
  /** The values for conditions; `success` is added by the list. */
  readonly conditionContext: Omit<BuiltIns, 'success'>
  /** Who plays now. Only for tasks. */
  readonly getPlaying?: () => PlayerFacts
  /** Whether any failing command ends the list, as newer definitions expect (`usesConditions`). */
  readonly stopOnError?: boolean
  readonly fetch: Fetcher
  /** Downloads and runtimes shared by all servers. */
  readonly sharedStore: SharedStore
  /** The CurseForge API key of the node. */
  readonly curseforgeKey?: string | undefined
  readonly signal: AbortSignal
  /** Prints one line on the server's console. */
  say(message: string): void
  /** Runs a program in the server's directory until it exits; rejects when it cannot be started. */
  runCommand(argv: readonly string[], options?: CommandOptions): Promise<Exit>
  /** Whether the server's processes find a program of this name in PATH. */
  inPath(name: string): Promise<boolean>
  /** Sets a variable of the server persistently; later steps see it. */
  setVariable(name: string, value: string): Promise<void>
  /** Pulls an image, by default that of the server; undefined outside containers. */
  readonly pullImage?: ((image: string) => Promise<void>) | undefined
  /** Runs a script in a container of its own until it exits. */
  runScript?(script: StepFields<'dockerrun'>): Promise<Exit>
  /** Writes a line to the running server's stdin; throws ErrServerOffline. */
  send(line: string): void
  /** Starts or stops the server, and with `isAwaited` waits for it. Only for tasks. */
  power?(action: PowerAction, isAwaited: boolean): Promise<void>
  /** Sends messages to all players until its end. Only for tasks. */
  countDown?(countdown: StepFields<'countdown'>): Promise<void>
  /** Creates a backup with this note, verifies it if wanted, waits for that and returns its ID. Only for tasks. */
  backUp?(name: string, isVerified: boolean): Promise<string>
  /** Called before each step, from 1; an exception ends the list and is passed on. */
  onStep?(step: number): void | Promise<void>
}

/** What the steps of one list share. */
export interface StepListContext extends StepContext {
  readonly regexWorker: Pick<RegexWorker, 'replace'>
  readonly configWorker: Pick<ConfigWorker, 'run'>
}

/** Why a step is rejected in an install, pre or post list: there it would wait for itself. */
export const onlyInTasks = 'only tasks may contain this step'

/** A validated step, ready to run. Throws the reason of a failure. */
export type PreparedStep = (context: StepListContext) => Promise<void>
