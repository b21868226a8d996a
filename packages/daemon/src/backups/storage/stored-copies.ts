import { localTarget } from '@innkeeper/contract/backups/backup-targets'
import { BackupCopy } from '@innkeeper/contract/backups/backups'
import { z } from 'zod/mini'

/** A backup on one target, with its snapshots there. */
export const StoredCopy = z.extend(BackupCopy, {
  /** Missing when there were no files, or while it is not stored. */
  snapshot: z.optional(z.string()),
  /** Missing when the index was rebuilt from the repository. */
  definitionSnapshot: z.optional(z.string()),
})
export type StoredCopy = z.infer<typeof StoredCopy>

interface WithCopies {
  readonly snapshot?: string | undefined
  readonly definitionSnapshot?: string | undefined
  readonly verification?: StoredCopy['verification']
  readonly copies?: readonly StoredCopy[] | undefined
}

/** Where a backup is. Those from before there were targets are in the folder of the node. */
export function getCopies({ copies, snapshot, definitionSnapshot, verification }: WithCopies): readonly StoredCopy[] {
  return copies ?? [{ target: localTarget, state: 'stored', snapshot, definitionSnapshot, verification }]
}

export function copyOn(backup: WithCopies, target: string): StoredCopy | undefined {
  return getCopies(backup).find((copy) => copy.target === target)
}

/** The copy that is read by default: the first that is stored and has not failed its verification. */
export function getBestCopy(backup: WithCopies): StoredCopy | undefined {
  const stored = getCopies(backup).filter(({ state }) => state === 'stored')
  return stored.find(({ verification }) => !verification?.error) ?? stored[0]
}

/** The backup with one copy changed or added. */
export function withCopy<T extends WithCopies>(backup: T, copy: StoredCopy): T {
  const copies = getCopies(backup)
  const isKnown = copies.some(({ target }) => target === copy.target)
  return {
    ...backup,
    copies: isKnown ? copies.map((existing) => (existing.target === copy.target ? copy : existing)) : [...copies, copy],
  }
}
