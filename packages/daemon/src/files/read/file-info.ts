import type { BigIntStats, Stats } from 'node:fs'

/** What a long list of files shows: more of each would take longer to make than all the rest. */
export interface FileSummary {
  /** Bytes that are no text are shown as `�`. */
  readonly name: string
  readonly kind: 'file' | 'folder' | 'link' | 'other'
  readonly size: number
  /** Milliseconds since 1970. */
  readonly modifiedMs: number
  /** Whether a path can lead to it: its name is text, and may be typed. */
  readonly isReachable: boolean
}

/** What a folder shows of one thing in it. Links are shown as links. */
export interface FileInfo extends FileSummary {
  readonly modified: Date
  readonly accessed: Date
  /** Permission bits. */
  readonly mode: number
  readonly uid: number
  readonly gid: number
}

export interface VersionedInfo extends FileInfo {
  /** Another one as soon as the content may be another: what an ETag says, without its quotes. */
  readonly version: string
}

/** What is known of something by its name, as the file system has it, and its state. For a great many, plain stats do. */
export function fileSummaryOf(name: string | Buffer, stats: BigIntStats | Stats): FileSummary {
  const text = name.toString('utf8')
  const kind = stats.isFile() ? 'file' : stats.isDirectory() ? 'folder' : stats.isSymbolicLink() ? 'link' : 'other'
  return {
    name: text,
    kind,
    size: kind === 'file' ? Number(stats.size) : 0,
    isReachable: isReachable(name, text),
    modifiedMs: 'mtimeNs' in stats ? msOf(stats.mtimeNs) : Math.round(stats.mtimeMs),
  }
}

/** All that is known of it. */
export function fileInfoOf(name: string | Buffer, stats: BigIntStats | Stats): FileInfo {
  const listSummaries = fileSummaryOf(name, stats)
  return {
    ...listSummaries,
    modified: new Date(listSummaries.modifiedMs),
    accessed: new Date('atimeNs' in stats ? msOf(stats.atimeNs) : Math.round(stats.atimeMs)),
    mode: Number(stats.mode) & 0o777,
    uid: Number(stats.uid),
    gid: Number(stats.gid),
  }
}

export function versionedInfoOf(name: string | Buffer, stats: BigIntStats): VersionedInfo {
  return { ...fileInfoOf(name, stats), version: versionOf(stats) }
}

export const timeOf = (nanoseconds: bigint): Date => new Date(msOf(nanoseconds))

/** The nearest millisecond, so that a time that was set is the one that is shown. */
const msOf = (nanoseconds: bigint): number => Math.round(Number(nanoseconds) / 1e6)

/** Changes with every write that the file system tells apart, with a new owner or mode too. */
export function versionOf({ ino, size, mtimeNs, ctimeNs }: BigIntStats): string {
  return [ino, size, mtimeNs, ctimeNs].map((part) => part.toString(36)).join('-')
}

/** Whether the text of a name leads back to the file, and may stand in a path. */
export function isReachable(name: string | Buffer, text = name.toString('utf8')): boolean {
  return !/[\x00-\x1f\x7f]/.test(text) && (typeof name === 'string' || Buffer.from(text).equals(name))
}
