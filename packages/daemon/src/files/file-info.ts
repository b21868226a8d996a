import type { BigIntStats } from 'node:fs'

/** What a folder shows of one thing in it. Links are shown as links. */
export interface FileInfo {
  /** Bytes that are no text are shown as `�`. */
  readonly name: string
  readonly kind: 'file' | 'folder' | 'link' | 'other'
  readonly size: number
  readonly modified: Date
  readonly accessed: Date
  /** Permission bits. */
  readonly mode: number
  readonly uid: number
  readonly gid: number
  /** Whether a path can lead to it: its name is text, and may be typed. */
  readonly isAddressable: boolean
}

export interface VersionedInfo extends FileInfo {
  /** Another one as soon as the content may be another: what an ETag says, without its quotes. */
  readonly version: string
}

/** What is known of something by its name, as the file system has it, and its state. */
export function fileInfoOf(name: string | Buffer, stats: BigIntStats): FileInfo {
  const text = name.toString('utf8')
  const kind = stats.isFile() ? 'file' : stats.isDirectory() ? 'folder' : stats.isSymbolicLink() ? 'link' : 'other'
  return {
    name: text,
    kind,
    size: kind === 'file' ? Number(stats.size) : 0,
    modified: timeOf(stats.mtimeNs),
    accessed: timeOf(stats.atimeNs),
    mode: Number(stats.mode) & 0o777,
    uid: Number(stats.uid),
    gid: Number(stats.gid),
    isAddressable: isAddressable(name, text),
  }
}

export function versionedInfoOf(name: string | Buffer, stats: BigIntStats): VersionedInfo {
  return { ...fileInfoOf(name, stats), version: versionOf(stats) }
}

/** The nearest millisecond, so that a time that was set is the one that is shown. */
export const timeOf = (nanoseconds: bigint): Date => new Date(Math.round(Number(nanoseconds) / 1e6))

/** Changes with every write that the file system tells apart, with a new owner or mode too. */
export function versionOf({ ino, size, mtimeNs, ctimeNs }: BigIntStats): string {
  return [ino, size, mtimeNs, ctimeNs].map((part) => part.toString(36)).join('-')
}

/** Whether the text of a name leads back to the file, and may stand in a path. */
export function isAddressable(name: string | Buffer, text = name.toString('utf8')): boolean {
  return !/[\x00-\x1f\x7f]/.test(text) && (typeof name === 'string' || Buffer.from(text).equals(name))
}
