import type { BigIntStats, Stats } from 'node:fs'

/**
 * The part of a file's information that long listings show; the rest would take longer to compute than everything else.
 */
export interface FileSummary {
  /** Invalid UTF-8 is shown as `�`. */
  readonly name: string
  readonly kind: 'file' | 'folder' | 'link' | 'other'
  /** Of a link, the length of its target. */
  readonly size: number
  /** Milliseconds since 1970. */
  readonly modifiedMs: number
  /** Whether a path can lead to it: its name is valid UTF-8. */
  readonly isReachable: boolean
}

/** Information about a file. Links are not followed. */
export interface FileInfo extends FileSummary {
  readonly modified: Date
  readonly accessed: Date
  /** Permission bits. */
  readonly mode: number
  readonly uid: number
  readonly gid: number
}

export interface VersionedInfo extends FileInfo {
  /** The modification time without rounding, in nanoseconds since 1970. */
  readonly modifiedNs: bigint
  /** Changes whenever the content may have changed: the ETag without quotes. */
  readonly version: string
}

/** Creates a summary from a raw name and its stats. For very many files, plain (non-BigInt) stats suffice. */
export function getFileSummary(name: string | Buffer, stats: BigIntStats | Stats): FileSummary {
  const text = name.toString('utf8')
  const kind = stats.isFile() ? 'file' : stats.isDirectory() ? 'folder' : stats.isSymbolicLink() ? 'link' : 'other'
  return {
    name: text,
    kind,
    size: kind === 'file' || kind === 'link' ? Number(stats.size) : 0,
    isReachable: isReachable(name, text),
    modifiedMs: 'mtimeNs' in stats ? getMs(stats.mtimeNs) : Math.round(stats.mtimeMs),
  }
}

/** Creates the full information. */
export function getFileInfo(name: string | Buffer, stats: BigIntStats | Stats): FileInfo {
  const listSummaries = getFileSummary(name, stats)
  return {
    ...listSummaries,
    modified: new Date(listSummaries.modifiedMs),
    accessed: new Date('atimeNs' in stats ? getMs(stats.atimeNs) : Math.round(stats.atimeMs)),
    mode: Number(stats.mode) & 0o777,
    uid: Number(stats.uid),
    gid: Number(stats.gid),
  }
}

export function getVersionedInfo(name: string | Buffer, stats: BigIntStats): VersionedInfo {
  return { ...getFileInfo(name, stats), modifiedNs: stats.mtimeNs, version: getVersion(stats) }
}

export const getTime = (nanoseconds: bigint): Date => new Date(getMs(nanoseconds))

/** Rounded to the nearest millisecond, so that a time that was set is the one that is shown. */
const getMs = (nanoseconds: bigint): number => Math.round(Number(nanoseconds) / 1e6)

/** Changes with every write that the file system can distinguish, and with owner and mode. */
export function getVersion({ ino, size, mtimeNs, ctimeNs }: BigIntStats): string {
  return [ino, size, mtimeNs, ctimeNs].map((part) => part.toString(36)).join('-')
}

/** Whether the decoded name leads back to the file. */
export function isReachable(name: string | Buffer, text = name.toString('utf8')): boolean {
  return typeof name === 'string' || Buffer.from(text).equals(name)
}
