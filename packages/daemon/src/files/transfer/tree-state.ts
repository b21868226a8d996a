import { createHash } from 'node:crypto'
import type { BigIntStats } from 'node:fs'
import { readlink } from 'node:fs/promises'
import { ifExists } from '../../fs/if-exists.ts'
import { DirHandle, type RawName } from '../path/dir-handle.ts'
import { walkBelow } from '../tree/walk.ts'
import type { TreePart } from './tree-part.ts'

/** An entry below a part. */
export interface PartEntry {
  readonly part: TreePart
  readonly names: readonly RawName[]
  /** The name of the part and those of the entry, see `formatPath`. */
  readonly path: string
  /** What is compared: type, mode, size and time of the last change of the content, or the target of a link. */
  readonly state: string
  readonly stats: BigIntStats
}

/** All entries of a server, each directory before its contents. Sockets, pipes and devices are skipped. */
export async function* walkParts(parts: readonly TreePart[], signal: AbortSignal): AsyncGenerator<PartEntry> {
  for (const part of parts) {
    const top = await ifExists(DirHandle.open(part.directory))
    if (!top) continue
    for await (const { name, stats, above, folder } of walkBelow(top, { signal })) {
      const names = [...above, name]
      if (!isOf(part, names)) continue
      const state = await readState(part, folder, name, stats)
      if (state !== undefined) yield { part, names, path: formatPath(part, names), state, stats }
    }
  }
}

/** Finds a part of the receiver by its name. */
export type FindPart = (name: string) => TreePart | undefined

/** Whether a name belongs to the server. */
export function isOf({ prefix }: TreePart, names: readonly RawName[]): boolean {
  return prefix === undefined || (names.length === 1 && String(names[0]).startsWith(prefix))
}

async function readState(
  { owner }: TreePart,
  folder: DirHandle,
  name: RawName,
  stats: BigIntStats,
): Promise<string | undefined> {
  if (stats.isDirectory()) return `d ${getMode(stats)}`
  if (stats.isSymbolicLink()) return `l ${await readlink(folder.pathTo(name), 'latin1')}`
  // A hard link to a file of another user leads out of the folder.
  if (!stats.isFile() || (owner && stats.nlink > 1n && Number(stats.uid) !== owner.uid)) return undefined
  return `f ${getMode(stats)} ${stats.size} ${getModifiedMs(stats)}`
}

export const getMode = ({ mode }: BigIntStats): number => Number(mode) & 0o777

/** In whole milliseconds, which Node.js can set exactly. */
export const getModifiedMs = ({ mtimeNs }: BigIntStats): number => Number((mtimeNs + 500_000n) / 1_000_000n)

/** Names can be any bytes: each byte is one character. */
export function formatPath(part: TreePart, names: readonly RawName[]): string {
  return [part.name, ...names.map((name) => Buffer.from(name).toString('latin1'))].join('/')
}

/** Throws for a path that no node sends: it could lead out of the part. */
export function parsePath(findPart: FindPart, path: string): { part: TreePart; names: RawName[] } {
  const [partName = '', ...names] = path.split('/')
  const part = findPart(partName)
  const isSafe = names.every((name) => name !== '' && name !== '.' && name !== '..' && !name.includes('\0'))
  if (!part || names.length === 0 || !isSafe || !isOf(part, names)) throw new Error(`a node sent the path ${path}`)
  return { part, names: names.map(toRawName) }
}

const toRawName = (latin1: string): RawName => (/[^\x00-\x7f]/.test(latin1) ? Buffer.from(latin1, 'latin1') : latin1)

/** A digest of all paths and states. */
export function digestStates(states: ReadonlyMap<string, string>): string {
  const hash = createHash('sha256')
  for (const path of [...states.keys()].sort()) hash.update(`${path}\0${states.get(path)}\0`, 'latin1')
  return hash.digest('hex')
}

/** Opens the directories of entries; keeps the last one open for the next entry. */
export class FolderOpener implements Disposable {
  #key: string | undefined
  #folder: DirHandle | undefined

  /** Without following links. The handle is valid until the next call. */
  async open(part: TreePart, names: readonly RawName[]): Promise<DirHandle> {
    const key = formatPath(part, names)
    if (this.#folder && this.#key === key) return this.#folder
    this[Symbol.dispose]()
    let folder = await DirHandle.open(part.directory)
    for (const name of names) {
      const parent = folder
      try {
        folder = await parent.openDir(name)
      } finally {
        parent.close()
      }
    }
    this.#key = key
    this.#folder = folder
    return folder
  }

  [Symbol.dispose](): void {
    this.#folder?.close()
    this.#folder = undefined
    this.#key = undefined
  }
}
