/** Names of skipped files in a result. */
const maxSkippedNames = 20

/** Progress of a file operation. The operation counts, the UI reads. */
export class Progress {
  entries = 0
  bytes = 0
  /** undefined while unknown. */
  totalEntries?: number
  totalBytes?: number
  /** The first skipped names, and the total number of skipped entries. */
  readonly skipped: string[] = []
  skippedCount = 0

  skip(name: string): void {
    this.skippedCount++
    if (this.skipped.length < maxSkippedNames) this.skipped.push(name)
  }

  /** Copies the values of another progress, counted in a worker. */
  copyFrom({ skipped, ...counted }: Omit<Progress, 'skip' | 'copyFrom'>): void {
    Object.assign(this, counted)
    this.skipped.splice(0, this.skipped.length, ...skipped)
  }
}
