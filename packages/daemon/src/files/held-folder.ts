import { type BigIntStats, constants, type Dirent } from 'node:fs'
import { chmod, type FileHandle, open, readdir } from 'node:fs/promises'

/** Linux has it, Node does not name it: a descriptor that only stands for a place, without the right to read it. */
export const O_PATH = 0o10000000

/** A name as the file system has it: bytes that need not be text. */
export type RawName = string | Buffer

/**
 * A folder held by a descriptor. What is reached through it stays in that very folder, wherever somebody moves it and
 * whatever somebody puts in its place meanwhile.
 */
export class HeldFolder implements AsyncDisposable {
  readonly #handle: FileHandle

  private constructor(handle: FileHandle) {
    this.#handle = handle
  }

  /** Holds a folder by a path that is trusted: links in it are followed. */
  static async open(trusted: string): Promise<HeldFolder> {
    return new HeldFolder(await open(trusted, O_PATH | constants.O_DIRECTORY))
  }

  /** Holds a folder in this one; a link (`ENOTDIR`) is not followed. */
  async enter(name: RawName): Promise<HeldFolder> {
    return new HeldFolder(await open(this.at(name), O_PATH | constants.O_DIRECTORY | constants.O_NOFOLLOW))
  }

  /** A path to the folder itself that is good while it is held. */
  get path(): string {
    return `/proc/self/fd/${this.#handle.fd}`
  }

  /** A path to a name in the folder that is good while it is held. Only for calls that do not follow a last link. */
  at(name: string): string
  at(name: RawName): RawName
  at(name: RawName): RawName {
    if (typeof name === 'string') return `${this.path}/${name}`
    return Buffer.concat([Buffer.from(`${this.path}/`), name])
  }

  /** The names in it. Plain ones are strings, which take less memory than buffers. */
  async names(): Promise<RawName[]> {
    const names = await readdir(this.path, { encoding: 'latin1' })
    return names.map((name) => (/[^\x00-\x7f]/.test(name) ? Buffer.from(name, 'latin1') : name))
  }

  async entries(): Promise<Dirent<Buffer>[]> {
    return await readdir(this.path, { withFileTypes: true, encoding: 'buffer' })
  }

  async stat(): Promise<BigIntStats> {
    return await this.#handle.stat({ bigint: true })
  }

  /** Lets its owner change what is in it, which read-only folders of package managers do not. */
  async makeWritable(): Promise<void> {
    const mode = Number((await this.stat()).mode)
    if ((mode & 0o700) !== 0o700) await chmod(this.path, (mode & 0o777) | 0o700)
  }

  /** Makes the names in it survive a power loss. */
  async sync(): Promise<void> {
    await using readable = await open(this.path, constants.O_RDONLY | constants.O_DIRECTORY)
    await readable.sync()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#handle.close()
  }
}
