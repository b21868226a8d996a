/** Limits how much is written to the files of a server. */
export interface WriteBudget {
  /** Runs `write`, which writes so many bytes. Throws ErrDiskLimit when they do not fit, also when only the file system knows that. */
  write<T>(bytes: number, write: () => Promise<T>): Promise<T>
}

/** Writes within a budget, if there is one. */
export async function writeWithin<T>(
  budget: WriteBudget | undefined,
  bytes: number,
  write: () => Promise<T>,
): Promise<T> {
  return budget ? await budget.write(bytes, write) : await write()
}
