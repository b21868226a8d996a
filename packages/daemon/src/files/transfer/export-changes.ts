import { createHash } from 'node:crypto'
import { constants } from 'node:fs'
import { open, readlink } from 'node:fs/promises'
import { getCode } from '../../errors/error-code.ts'
import type { RawName } from '../path/dir-handle.ts'
import { allocateChunk, chunkBytes, finishChunk, formatLength, formatRecord } from './pack.ts'
import type { TreePart } from './tree-part.ts'
import { digestStates, FolderOpener, getMode, getModifiedMs, type PartEntry, walkParts } from './tree-state.ts'

interface Options {
  readonly parts: readonly TreePart[]
  /** What the other node has: states by path. */
  readonly known: ReadonlyMap<string, string>
  /**
   * Entries whose inode has changed since are sent even if they look the same: a program can set the time of a file. Epoch
   * milliseconds.
   */
  readonly sinceMs: number
  readonly signal: AbortSignal
}

/** What another node lacks. */
export interface Changes {
  readonly sent: readonly Pick<PartEntry, 'part' | 'names' | 'path'>[]
  /** Paths that the other node has and this one has not. */
  readonly removed: readonly string[]
  /** The size of the files that are sent. */
  readonly bytes: number
  readonly digest: string
}

/** Compares what this node has of a server with what another one has. */
export async function findChanges({ parts, known, sinceMs, signal }: Options): Promise<Changes> {
  const states = new Map<string, string>()
  const sent: Pick<PartEntry, 'part' | 'names' | 'path'>[] = []
  let bytes = 0
  for await (const { part, names, path, state, stats } of walkParts(parts, signal)) {
    states.set(path, state)
    const isTouched = stats.isFile() && sinceMs > 0 && stats.ctimeMs >= sinceMs
    if (known.get(path) === state && !isTouched) continue
    sent.push({ part, names, path })
    if (stats.isFile()) bytes += Number(stats.size)
  }
  // The names in a removed directory go with it.
  const removed = [...known.keys()].filter((path) => !states.has(path)).sort()
  return { sent, removed, bytes, digest: digestStates(states) }
}

/** The changes as a stream, see `PackRecord`. What has gone meanwhile is left out. */
export async function* packChanges({ sent, removed, digest }: Changes, signal: AbortSignal): AsyncGenerator<Buffer> {
  for (const path of removed) yield formatRecord({ type: 'remove', path })
  using folders = new FolderOpener()
  for (const { part, names, path } of sent) {
    signal.throwIfAborted()
    yield* packEntry(folders, part, names, path)
  }
  yield formatRecord({ type: 'end', digest })
}

const goneCodes: readonly string[] = ['ENOENT', 'ENOTDIR', 'ELOOP', 'EINVAL', 'ENXIO']

async function* packEntry(
  folders: FolderOpener,
  part: TreePart,
  names: readonly RawName[],
  path: string,
): AsyncGenerator<Buffer> {
  const name = names.at(-1) ?? ''
  try {
    const folder = await folders.open(part, names.slice(0, -1))
    await using file = await open(
      folder.pathTo(name),
      constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK,
    ).catch((error: unknown) => {
      if (getCode(error) !== 'ELOOP') throw error
      return undefined
    })
    if (!file) {
      yield formatRecord({ type: 'link', path, target: await readlink(folder.pathTo(name), 'latin1') })
      return
    }
    const stats = await file.stat({ bigint: true })
    if (stats.isDirectory()) yield formatRecord({ type: 'folder', path, mode: getMode(stats) })
    if (!stats.isFile()) return
    yield formatRecord({ type: 'file', path, mode: getMode(stats), modifiedMs: getModifiedMs(stats) })
    const hash = createHash('sha256')
    const size = Number(stats.size)
    for (let position = 0; position < size; ) {
      const { chunk, content } = allocateChunk(Math.min(chunkBytes, size - position))
      const { bytesRead } = await file.read(content, 0, content.length, position)
      if (bytesRead === 0) break
      position += bytesRead
      hash.update(content.subarray(0, bytesRead))
      yield finishChunk(chunk, bytesRead)
    }
    yield formatLength(0)
    yield hash.digest()
  } catch (error) {
    // The server runs: the next pass finds what it has done.
    if (!goneCodes.includes(getCode(error))) throw error
  }
}
