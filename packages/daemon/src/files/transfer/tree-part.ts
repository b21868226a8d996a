import type { Owner } from '../../fs/owner.ts'

/** Files below one directory that nodes exchange. The directory is trusted. */
export interface TreePart {
  readonly name: string
  readonly directory: string
  /** Who owns the files; the daemon without it. */
  readonly owner: Owner | undefined
  /** Of a new directory; by default only the daemon can enter it. */
  readonly mode?: number
  /** With it only the names that begin so. */
  readonly prefix?: string
}
