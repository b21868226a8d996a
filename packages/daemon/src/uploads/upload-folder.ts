import { constants } from 'node:fs'
import { mkdir, open, readdir, rm, stat, statfs } from 'node:fs/promises'
import { join } from 'node:path'
import { parseJsonOrUndefined } from '@innkeeper/contract/text/parse-json'
import { BufferedFileWriter, type Sink } from '../files/write/buffered-file-writer.ts'
import { writeFileAtomic } from '../fs/atomic-write.ts'
import { ifExists, readTextIfExists } from '../fs/if-exists.ts'
import { UploadInfo } from './upload-info.ts'

const infoExtension = '.json'

/** Receives bytes until the source ends; throws beyond the limit. */
export type Receive = (sink: Sink, receiving: { readonly limit: number; readonly signal: AbortSignal }) => Promise<void>

interface Appending {
  /** Bytes already received, and how many more are allowed. */
  readonly from: number
  readonly limit: number
  readonly signal: AbortSignal
}

/** The unfinished uploads of one server on disk: their bytes, and a metadata file beside them. */
export class UploadFolder {
  readonly #folder: string

  /** The directory and its names are the daemon's own. */
  constructor(folder: string) {
    this.#folder = folder
  }

  /** The file with the bytes of an upload. */
  getPath(id: string): string {
    return join(this.#folder, id)
  }

  async freeBytes(): Promise<number> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 })
    const { bavail, bsize } = await statfs(this.#folder)
    return bavail * bsize
  }

  async create(id: string, info: UploadInfo): Promise<void> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 })
    await (await open(this.getPath(id), 'wx', 0o600)).close()
    await this.writeInfo(id, info)
  }

  /** Writes the metadata atomically. */
  async writeInfo(id: string, info: UploadInfo): Promise<void> {
    await writeFileAtomic(join(this.#folder, `${id}${infoExtension}`), JSON.stringify(info), { fsync: false })
  }

  /** undefined when it does not exist or is unreadable. */
  async find(id: string): Promise<UploadInfo | undefined> {
    const text = await readTextIfExists(join(this.#folder, `${id}${infoExtension}`))
    return text === undefined ? undefined : UploadInfo.safeParse(parseJsonOrUndefined(text)).data
  }

  /** Bytes received. */
  async readSize(id: string): Promise<number> {
    return (await ifExists(stat(this.getPath(id))))?.size ?? 0
  }

  /** Time of the last change. */
  async lastActivity(id: string): Promise<number> {
    const times = [this.getPath(id), join(this.#folder, `${id}${infoExtension}`)].map((path) => ifExists(stat(path)))
    return Math.max(0, ...(await Promise.all(times)).map((found) => found?.mtimeMs ?? 0))
  }

  async ids(): Promise<string[]> {
    const names = (await ifExists(readdir(this.#folder))) ?? []
    return [...new Set(names.map((name) => name.slice(0, 32)))].filter((id) => /^[0-9a-f]{32}$/.test(id))
  }

  /**
   * Appends bytes. Bytes received before an interruption are kept. Not synced: a power loss costs the client a part,
   * and `sync` precedes the placement of the file.
   */
  async append(id: string, receive: Receive, { from, limit, signal }: Appending): Promise<void> {
    await using file = await open(this.getPath(id), constants.O_WRONLY | constants.O_NOFOLLOW)
    await using cleanup = new AsyncDisposableStack()
    const writer = new BufferedFileWriter(file, { position: from, eager: true })
    cleanup.defer(() => writer.settled())
    try {
      await receive(writer, { limit, signal })
    } finally {
      await writer.end()
    }
  }

  async sync(id: string): Promise<void> {
    await using file = await open(this.getPath(id), constants.O_RDWR | constants.O_NOFOLLOW)
    await file.sync()
  }

  async remove(id: string): Promise<void> {
    await rm(join(this.#folder, `${id}${infoExtension}`), { force: true })
    await this.removeBytes(id)
  }

  async removeBytes(id: string): Promise<void> {
    await rm(this.getPath(id), { force: true })
  }

  async removeAll(): Promise<void> {
    await rm(this.#folder, { recursive: true, force: true })
  }
}

/** The servers with uploads in a directory. */
export async function foldersIn(folder: string): Promise<string[]> {
  const names = (await ifExists(readdir(folder))) ?? []
  return names.filter((name) => /^[0-9a-f]{8}$/.test(name))
}
