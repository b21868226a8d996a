import type { Exit, StartRequest } from '../protocol.ts'

/** A child process whose stdio the keeper owns. */
export interface ChildProcessHandle {
  readonly pid: number
  /** Queues input. Returns the number of bytes dropped because the queue is full. */
  write(bytes: Buffer): number
  resize(cols: number, rows: number): void
  /** Pauses and resumes reading of its output. */
  pause(): void
  resume(): void
}

/** Events of a child process. */
export interface ProcessEvents {
  /** The bytes are valid only during the call. */
  onOutput(bytes: Uint8Array): void
  /** Called once, after the last output. */
  onEnd(exit: Exit): void
}

/** The resolved command to spawn. */
export type Command = Pick<StartRequest, 'file' | 'args' | 'cwd' | 'env'>
