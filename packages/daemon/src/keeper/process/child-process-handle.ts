import type { Exit } from '../protocol.ts'

/** A process whose input and output the keeper holds. */
export interface ChildProcessHandle {
  readonly pid: number
  /** Types bytes in order; gives how many were dropped because too much waits already. */
  write(bytes: Buffer): number
  resize(cols: number, rows: number): void
  /** Stops and starts the reading of its output. */
  pause(): void
  resume(): void
}

/** What a held process tells. */
export interface ProcessEvents {
  /** The bytes are only lent: they change after the call. */
  onOutput(bytes: Uint8Array): void
  /** Once, after the last output. */
  onEnd(exit: Exit): void
}

/** What to start, once everything is decided. */
export interface Command {
  readonly file: string
  readonly args: readonly string[]
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
}
