/** Limits how much is written to the files of a server. */
export interface WriteBudget {
  /** Must be called before bytes are written. Throws ErrDiskLimit when they do not fit. */
  reserve(bytes: number): Promise<void>
}
