import { limits } from '@innkeeper/contract/limits'

/** How far a piece of work on files is. Who works counts, who shows it looks. */
export class Progress {
  entries = 0
  bytes = 0
  /** Missing as long as nobody knows them. */
  totalEntries?: number
  totalBytes?: number
  /** The first names of what was left out, and how many there were in all. */
  readonly skipped: string[] = []
  skippedCount = 0

  skip(name: string): void {
    this.skippedCount++
    if (this.skipped.length < limits.skippedShown) this.skipped.push(name)
  }

  /** Says the same as another one, which somebody counts elsewhere. */
  show({ skipped, ...counted }: Omit<Progress, 'skip' | 'show'>): void {
    Object.assign(this, counted)
    this.skipped.splice(0, this.skipped.length, ...skipped)
  }
}
