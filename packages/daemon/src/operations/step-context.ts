import type { BuiltIns } from '@innkeeper/contract/conditions'
import type { PowerAction } from '@innkeeper/contract/operations'
import type { RootFs } from '../files/root.ts'
import type { Fetcher } from '../network/fetch.ts'
import type { Exit } from '../processes/run.ts'
import type { SharedStore } from '../runtimes/shared-store.ts'
import type { RegexWorker } from './replace.ts'

/** How a program of a step is run, beside what it is. */
export interface CommandOptions {
  /** Added to the environment of the server's processes. */
  readonly env?: Readonly<Record<string, string>>
}

/** What steps work with: the files, the values and the console of one server. */
export interface StepContext {
  readonly files: RootFs
  /** What `${name}` stands for: variables, `serverId`, `rootDir`, and `success` after a run. Grows by `setVariable`. */
  readonly values: ReadonlyMap<string, string>
  /** What conditions are judged by; whether all went well is known to the list itself. */
  readonly conditionContext: Omit<BuiltIns, 'success'>
  /** Whether any failing command ends the list, as newer definitions expect (`usesConditions`). */
  readonly stopOnError?: boolean
  readonly fetch: Fetcher
  /** What the node keeps for all of its servers. */
  readonly sharedStore: SharedStore
  /** Key of the CurseForge API, if the node has one. */
  readonly curseforgeKey?: string | undefined
  readonly signal: AbortSignal
  /** Says one line on the server's console. */
  say(message: string): void
  /** Runs a program in the server's folder until it ends; rejects when it cannot be started. */
  runCommand(argv: readonly string[], options?: CommandOptions): Promise<Exit>
  /** Whether the server's processes find a program of this name. */
  inPath(name: string): Promise<boolean>
  /** Sets a variable of the server for good; later steps see it. */
  setVariable(name: string, value: string): Promise<void>
  /** Fetches an image anew, by default that of the server; not there outside containers. */
  readonly pullImage?: ((image: string) => Promise<void>) | undefined
  /** Types a line into the running server; throws ErrServerOffline. */
  send(line: string): void
  /** Starts or ends the server, and with `isAwaited` waits until that is through. Only tasks may. */
  power?(action: PowerAction, isAwaited: boolean): Promise<void>
  /** Is told of each step before it runs, from 1; what it throws ends the list as it is. */
  onStep?(step: number): void | Promise<void>
}

/** What the steps of one list share beside. */
export interface StepListContext extends StepContext {
  readonly regexWorker: Pick<RegexWorker, 'replace'>
}

/** A step whose fields are in order, ready to run. What it throws is the reason why it failed. */
export type PreparedStep = (context: StepListContext) => Promise<void>
