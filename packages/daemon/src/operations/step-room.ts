import type { PowerAction } from '@innkeeper/contract/operations'
import type { Exit } from '../environments/run.ts'
import type { RootFs } from '../files/root.ts'
import type { Fetcher } from '../network/fetch.ts'

/** What steps work with: the files, the values and the console of one server. */
export interface StepRoom {
  readonly files: RootFs
  /** What `${name}` stands for: variables, `serverId`, `rootDir`, and `success` after a run. */
  readonly values: ReadonlyMap<string, string>
  /** Whether any failing command ends the list, as newer definitions expect (`isOfNewerFamily`). */
  readonly stopOnError?: boolean
  readonly fetch: Fetcher
  readonly signal: AbortSignal
  /** Says one line on the server's console. */
  say(message: string): void
  /** Runs a program in the server's folder until it ends; rejects when it cannot be started. */
  runCommand(argv: readonly string[]): Promise<Exit>
  /** Types a line into the running server; throws ErrServerOffline. */
  send?(line: string): void
  /** Starts or ends the server, and with `isAwaited` waits until that is through. Only tasks may. */
  power?(action: PowerAction, isAwaited: boolean): Promise<void>
  /** Is told of each step before it runs, from 1; what it throws ends the list as it is. */
  begin?(step: number): void | Promise<void>
}

/** A step whose fields are in order, ready to run. What it throws is the reason why it failed. */
export type ReadyStep = (room: StepRoom) => Promise<void>
