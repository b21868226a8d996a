import type { DiskSpace } from '@innkeeper/contract/status'

/** Limits how much is written to the files of a server. */
export interface WriteBudget {
  /**
   * Runs `write`, which writes so many bytes. Throws ErrDiskLimit when they do not fit, also when only the file system
   * knows that. `replacedBytes` of the used space will be replaced by what is written.
   */
  write<T>(bytes: number, write: () => Promise<T>, replacedBytes?: number): Promise<T>
  /** What is used and allowed; undefined without a limit. */
  readonly space: DiskSpace | undefined
  /** Throws ErrDiskLimit when so many more bytes do not fit. */
  assertRoom(bytes: number): Promise<void>
}

/** Writes within a budget, if there is one. */
export async function writeWithin<T>(
  budget: WriteBudget | undefined,
  bytes: number,
  write: () => Promise<T>,
  replacedBytes = 0,
): Promise<T> {
  return budget ? await budget.write(bytes, write, replacedBytes) : await write()
}
