import { type BigIntStats, closeSync, constants, type Dirent, fstat, open as openDescriptor } from 'node:fs'
import { chmod, mkdir, open, readdir, rmdir } from 'node:fs/promises'
import { promisify } from 'node:util'
import { withRollback } from '../../errors/cleanup.ts'

/** A Linux flag that Node.js does not name: a descriptor without read permission that only identifies a file. */
export const O_PATH = 0o10000000

/** A name as stored by the file system: bytes, not necessarily UTF-8. */
export type RawName = string | Buffer

/** A descriptor with a reference count. */
interface Descriptor {
  readonly fd: number
  references: number
}

/** After the close, the number may belong to another directory. */
const closedPath = '/proc/self/fd/-1'

const openFd = promisify(openDescriptor)
const fstatAsync = promisify(fstat)

/**
 * An open directory. Paths through its descriptor stay in this directory, even if it is moved or its name is reused
 * meanwhile. Before `close`, the caller must wait for all operations that use its paths: the descriptor number is
 * reused immediately.
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

  /** Opens a trusted path: links in it are followed. */
  static async open(trusted: string): Promise<DirHandle> {
    return new DirHandle({ fd: await openFd(trusted, O_PATH | constants.O_DIRECTORY), references: 0 })
  }

  /** Opens a subdirectory; a link (`ENOTDIR`) is not followed. */
  async openDir(name: RawName): Promise<DirHandle> {
    const fd = await openFd(this.pathTo(name), O_PATH | constants.O_DIRECTORY | constants.O_NOFOLLOW)
    return new DirHandle({ fd, references: 0 })
  }

  /** Another handle of the same directory, to be closed separately. */
  dup(): DirHandle {
    if (!this.#isOpen) throw new Error('The directory handle is closed')
    return new DirHandle(this.#descriptor)
  }

  /** Like `path`, for other processes. */
  get sharedPath(): string {
    return this.path.replace('/self/', `/${process.pid}/`)
  }

  /** A path to the directory itself, valid while the handle is open. */
  get path(): string {
    return this.#isOpen ? this.#path : closedPath
  }

  /**
   * A path to a name in the directory, valid while the handle is open. Only for calls that do not follow a link at the
   * end.
   */
  pathTo(name: string): string
  pathTo(name: RawName): RawName
  pathTo(name: RawName): RawName {
    if (typeof name === 'string') return `${this.path}/${name}`
    return Buffer.concat([Buffer.from(`${this.path}/`), name])
  }

  /** Creates a directory that only the daemon can enter, and opens it. */
  async makePrivateDir(name: string): Promise<DirHandle> {
    await mkdir(this.pathTo(name), 0o700)
    return await withRollback(this.openDir(name), () => rmdir(this.pathTo(name)))
  }

  /** The names in it. UTF-8 names are strings, which need less memory than buffers. */
  async names(): Promise<RawName[]> {
    const names = await readdir(this.path, { encoding: 'latin1' })
    return names.map((name) => (/[^\x00-\x7f]/.test(name) ? Buffer.from(name, 'latin1') : name))
  }

  async entries(): Promise<Dirent<Buffer>[]> {
    return await readdir(this.path, { withFileTypes: true, encoding: 'buffer' })
  }

  async stat(): Promise<BigIntStats> {
    return await fstatAsync(this.#fd, { bigint: true })
  }

  /** Adds write permission for the owner, which read-only directories of package managers lack. */
  async makeWritable(): Promise<void> {
    const mode = Number((await this.stat()).mode)
    if ((mode & 0o700) !== 0o700) await chmod(this.path, (mode & 0o777) | 0o700)
  }

  /** Syncs the directory, so that its names survive a power loss. */
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
    // Closing a directory writes nothing and takes no time on any disk; a thread would cost far more.
    if (--this.#descriptor.references === 0) closeSync(this.#descriptor.fd)
  }

  get #fd(): number {
    return this.#isOpen ? this.#descriptor.fd : -1
  }
}
