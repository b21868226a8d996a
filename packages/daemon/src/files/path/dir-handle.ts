import { type BigIntStats, closeSync, constants, type Dirent, fstat, open as openDescriptor, openSync } from 'node:fs'
import { chmod, open, readdir } from 'node:fs/promises'
import { promisify } from 'node:util'

/** Linux has it, Node does not name it: a descriptor that only stands for a place, without the right to read it. */
export const O_PATH = 0o10000000

/** A name as the file system has it: bytes that need not be text. */
export type RawName = string | Buffer

/** A number that the system gave, and how many go by it. */
interface Descriptor {
  readonly fd: number
  references: number
}

/** The number of a folder that is let go of may be that of another one by now. */
const closedPath = '/proc/self/fd/-1'

const openFd = promisify(openDescriptor)
const statOf = promisify(fstat)

/**
 * A folder held by a descriptor. What is reached through it stays in that very folder, wherever somebody moves it and
 * whatever somebody puts in its place meanwhile. Whoever lets go of it has waited for all that goes by its paths: their
 * number is free at once, for another folder.
 */
export class DirHandle implements AsyncDisposable {
  readonly #descriptor: Descriptor
  readonly #path: string
  #isOpen = true

  private constructor(descriptor: Descriptor) {
    this.#descriptor = descriptor
    this.#path = `/proc/self/fd/${descriptor.fd}`
    descriptor.references++
  }

  /** Holds a folder by a path that is trusted: links in it are followed. */
  static async open(trusted: string): Promise<DirHandle> {
    return new DirHandle({ fd: await openFd(trusted, O_PATH | constants.O_DIRECTORY), references: 0 })
  }

  /** Holds a folder in this one; a link (`ENOTDIR`) is not followed. */
  async openDir(name: RawName): Promise<DirHandle> {
    const fd = await openFd(this.pathTo(name), O_PATH | constants.O_DIRECTORY | constants.O_NOFOLLOW)
    return new DirHandle({ fd, references: 0 })
  }

  /** Like `enter`, without a thread. */
  openDirSync(name: RawName): DirHandle {
    const fd = openSync(this.pathTo(name), O_PATH | constants.O_DIRECTORY | constants.O_NOFOLLOW)
    return new DirHandle({ fd, references: 0 })
  }

  /** Another hold on the same folder, which is let go of by itself. */
  dup(): DirHandle {
    if (!this.#isOpen) throw new Error('The folder is not held any more')
    return new DirHandle(this.#descriptor)
  }

  /** A path to the folder itself that is good while it is held. */
  get path(): string {
    return this.#isOpen ? this.#path : closedPath
  }

  /** A path to a name in the folder that is good while it is held. Only for calls that do not follow a last link. */
  pathTo(name: string): string
  pathTo(name: RawName): RawName
  pathTo(name: RawName): RawName {
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
    return await statOf(this.#fd, { bigint: true })
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
    this.close()
  }

  close(): void {
    if (!this.#isOpen) return
    this.#isOpen = false
    // Nothing is written out by it, so that it takes no time, on no disk: a thread for it would cost far more.
    if (--this.#descriptor.references === 0) closeSync(this.#descriptor.fd)
  }

  get #fd(): number {
    return this.#isOpen ? this.#descriptor.fd : -1
  }
}
