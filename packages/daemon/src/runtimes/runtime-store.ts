import { randomBytes } from 'node:crypto'
import { join, relative, resolve, sep } from 'node:path'
import { withLock } from '@innkeeper/contract/jobs/mutex'
import { extractArchive } from '../archives/archives.ts'
import { SingleFlight, type Subscriber } from '../concurrency/single-flight.ts'
import type { Digest } from '../downloads/digest.ts'
import { transfer } from '../downloads/transfer.ts'
import { ignoreRefusals } from '../errors/refusals.ts'
import { getChild, getName, parsePath, rootPath, type SafePath } from '../files/path/safe-path.ts'
import type { FileInfo } from '../files/read/file-info.ts'
import { RootFs } from '../files/root.ts'
import { Progress } from '../files/tree/progress.ts'
import type { Fetcher } from '../network/fetch.ts'

/** Above this size unused runtimes are deleted, oldest first. */
const maxStoreBytes = 10 * 1024 ** 3
/** Unused runtimes are deleted after this time in any case. */
export const unusedRetentionMs = 30 * 24 * 60 * 60 * 1000
/** A runtime that was requested recently may not be on the PATH of its server yet, and is kept. */
const minRetentionMs = 24 * 60 * 60 * 1000

/** An archive with programs for servers, such as a JDK. */
export interface RuntimePackage {
  /** Name in the store, with the version. */
  readonly name: string
  readonly url: URL
  readonly digest?: Digest | undefined
  /** The file name, whose extension determines the archive format. */
  readonly archive: string
  /** Programs that it must contain, relative to its single directory if it has one; made executable. */
  readonly programs: readonly string[]
  /** Additional scripts by path; made executable. */
  readonly scripts?: Readonly<Record<string, string>>
}

/** HTTP client, progress callback and abort signal of an install. */
export interface FetchContext extends Subscriber {
  readonly fetch: Fetcher
}

/** Options of a prune. */
export interface PruneOptions {
  /** Paths of the executables of running processes. */
  readonly running: readonly string[]
  readonly bytes?: number
  readonly signal?: AbortSignal
}

/** On small disks the store is limited to this part of the disk. */
const diskShare = 10

/** Between the ID of a server and the name of a package that it brings. */
const arrivingMark = '.arriving.'

const directories = {
  downloads: parsePath('downloads'),
  unpacking: parsePath('unpacking'),
  servers: parsePath('servers'),
}

/**
 * Runtimes installed for servers, such as Java: `<name>/…`, and in `servers/<id>` links to those that a server uses,
 * which is a directory in its PATH. Read-only for servers.
 */
export class RuntimeStore {
  readonly #files: RootFs
  readonly #downloads = new SingleFlight()

  private constructor(files: RootFs) {
    this.#files = files
  }

  static async open(directory: string): Promise<RuntimeStore> {
    const files = await RootFs.open(directory, { create: true })
    await files.setStat(rootPath, { mode: 0o711 })
    await files.removeLeftovers()
    // Leftovers of an earlier daemon.
    for (const left of [directories.downloads, directories.unpacking]) await removed(files, left)
    return new RuntimeStore(files)
  }

  /** The directory on the host. */
  get directory(): string {
    return this.#files.directory
  }

  /** The directory of a server's links, which may not exist. */
  getFolder(server: string): string {
    return join(this.directory, 'servers', server)
  }

  /** Installs a package if necessary and returns its directory. Concurrent calls share one download. */
  async ensure(runtime: RuntimePackage, { fetch, signal, say }: FetchContext): Promise<string> {
    const home = parsePath(runtime.name)
    if (!(await this.#use(home, runtime))) {
      const subscriber = { signal, say: (message: string) => say(message) }
      await this.#downloads.run(runtime.name, subscriber, async (context) => {
        if (!(await this.#use(home, runtime))) await this.#install(runtime, home, { ...context, fetch })
      })
    }
    return join(this.directory, runtime.name)
  }

  /** Names of installed packages with this prefix. */
  async names(beginning: string): Promise<readonly string[]> {
    return (await this.#packages()).map(({ name }) => name).filter((name) => name.startsWith(beginning))
  }

  /** Links programs into the PATH of a server: name of the link to path in the store. */
  async linkForServer(server: string, programs: Readonly<Record<string, string>>): Promise<void> {
    await this.#serialize(async () => {
      const folder = getChild(directories.servers, server)
      await this.#files.mkdirs(folder)
      for (const [name, program] of Object.entries(programs)) {
        await this.#touchLinked(getChild(folder, name))
        const fresh = getChild(folder, `${name}.${randomBytes(4).toString('hex')}`)
        await this.#files.symlink(join('..', '..', program), fresh)
        await this.#files.rename(fresh, getChild(folder, name))
      }
    })
  }

  /** The names of a server's links. */
  async readLinks(server: string): Promise<readonly string[]> {
    return (await this.#namesIn(getChild(directories.servers, server))).filter(isFinished)
  }

  /** The packages that a server's links lead to. */
  async packagesOf(server: string): Promise<readonly string[]> {
    const folder = getChild(directories.servers, server)
    const names = (await this.#namesIn(folder)).map((name) => this.#readPackage(getChild(folder, name)))
    const installed = new Set(await this.names(''))
    return [...new Set(await Promise.all(names))].flatMap((name) => (name && installed.has(name) ? name : []))
  }

  /** The directory in which a package arrives that a server brings from another node. A restart of the daemon empties it. */
  getArrivingFolder(server: string, name: string): string {
    return join(this.directory, 'unpacking', `${server}${arrivingMark}${name}`)
  }

  /** The packages that arrive for a server. */
  async arriving(server: string): Promise<readonly string[]> {
    const prefix = `${server}${arrivingMark}`
    const names = await this.#namesIn(directories.unpacking)
    return names.filter((name) => name.startsWith(prefix)).map((name) => name.slice(prefix.length))
  }

  /** Installs the packages that have arrived for a server, unless they are installed already. */
  async placeArrived(server: string): Promise<void> {
    for (const name of await this.arriving(server)) {
      const from = getChild(directories.unpacking, `${server}${arrivingMark}${name}`)
      await this.#serialize(async () => {
        if ((await this.#packages()).some((known) => known.name === name)) return
        await this.#files.setStat(from, { mode: 0o755, modified: new Date() })
        await this.#files.rename(from, parsePath(name))
      })
      await removed(this.#files, from)
    }
  }

  /** Removes the packages that have arrived for a server. */
  async dropArrived(server: string): Promise<void> {
    for (const name of await this.arriving(server))
      await removed(this.#files, getChild(directories.unpacking, `${server}${arrivingMark}${name}`))
  }

  /** Removes the links of a deleted server; its runtimes stay for a while. */
  async forget(server: string): Promise<void> {
    await this.#serialize(async () => {
      const folder = getChild(directories.servers, server)
      for (const name of await this.#namesIn(folder)) await this.#touchLinked(getChild(folder, name))
      await removed(this.#files, folder)
    })
  }

  /**
   * Removes packages that no server links to and no process runs: those unused for long, and the oldest ones if the
   * store is too large. Returns their names.
   */
  async prune({ running, bytes = maxStoreBytes, signal }: PruneOptions): Promise<readonly string[]> {
    // /proc has real paths.
    const real = await this.#files.workingDirectory(rootPath)
    const used = new Set([...(await this.#linked()), ...running.map((path) => packageAt(real, path))])
    const wares = await this.#packages()
    const unused = wares
      .filter(({ name }) => !used.has(name))
      .toSorted((a, b) => a.modified.getTime() - b.modified.getTime())
    if (unused.length === 0) return []
    const sizes = new Map<string, number>()
    for (const { name } of wares) sizes.set(name, await this.#readSize(parsePath(name), signal))
    const { blocks, blockSize } = await this.#files.space()
    const most = Math.min(bytes, (blocks * blockSize) / diskShare)
    let size = [...sizes.values()].reduce((sum, bytes) => sum + bytes, 0)

    const evicted: string[] = []
    for (const { name, modified } of unused) {
      const idleMs = Date.now() - modified.getTime()
      const isOld = idleMs >= unusedRetentionMs || (size > most && idleMs >= minRetentionMs)
      if (!isOld || !(await this.#evict(name, modified))) continue
      evicted.push(name)
      size -= sizes.get(name) ?? 0
    }
    return evicted
  }

  async close(): Promise<void> {
    await this.#files[Symbol.asyncDispose]()
  }

  /** Serializes linking, use and eviction. */
  async #serialize<T>(act: () => Promise<T>): Promise<T> {
    return await withLock([this], act)
  }

  /** Whether a package is installed; marks it as just used. */
  async #use(home: SafePath, runtime: RuntimePackage): Promise<boolean> {
    return await this.#serialize(async () => {
      const isThere = await this.#isComplete(home, runtime)
      if (isThere) await this.#files.setStat(home, { modified: new Date() })
      return isThere
    })
  }

  /** The target of a removed link was in use until now. */
  async #touchLinked(linkForServer: SafePath): Promise<void> {
    const runtime = await this.#readPackage(linkForServer)
    if ((await this.#packages()).some(({ name }) => name === runtime))
      await this.#files.setStat(parsePath(runtime ?? ''), { modified: new Date() })
  }

  async #packages(): Promise<readonly FileInfo[]> {
    const all = await this.#files.readdir(rootPath)
    return all.filter(({ name, kind, isReachable }) => {
      return kind === 'folder' && isReachable && !Object.hasOwn(directories, name)
    })
  }

  /** The packages with links of servers. */
  async #linked(): Promise<readonly string[]> {
    const wares: string[] = []
    for (const server of await this.#namesIn(directories.servers)) {
      const folder = getChild(directories.servers, server)
      for (const name of await this.#namesIn(folder))
        wares.push((await this.#readPackage(getChild(folder, name))) ?? '')
    }
    return wares
  }

  async #readPackage(linkForServer: SafePath): Promise<string | undefined> {
    if ((await this.#files.lstat(linkForServer))?.kind !== 'link') return undefined
    return packageAt(
      this.directory,
      resolve(this.directory, ...linkForServer.slice(0, -1), await this.#files.readlink(linkForServer)),
    )
  }

  async #namesIn(folder: SafePath): Promise<readonly string[]> {
    if ((await this.#files.stat(folder))?.kind !== 'folder') return []
    return (await this.#files.readdir(folder)).filter((entry) => entry.isReachable).map(({ name }) => name)
  }

  async #readSize(folder: SafePath, signal: AbortSignal | undefined): Promise<number> {
    let size = 0
    for await (const { info } of this.#files.walk(folder, signal && { signal })) size += info.size
    return size
  }

  /** Unless it was used meanwhile. Renamed first, so that no caller finds a partial package. */
  async #evict(name: string, modified: Date): Promise<boolean> {
    const aside = getChild(directories.unpacking, `${name}-${randomBytes(4).toString('hex')}`)
    const isAside = await this.#serialize(async () => {
      const now = await this.#files.lstat(parsePath(name))
      if (now?.modified.getTime() !== modified.getTime() || (await this.#linked()).includes(name)) return false
      await this.#files.mkdirs(directories.unpacking)
      await this.#files.rename(parsePath(name), aside)
      return true
    })
    if (isAside) await removed(this.#files, aside)
    return isAside
  }

  async #isComplete(home: SafePath, { programs }: RuntimePackage): Promise<boolean> {
    for (const program of programs) if ((await this.#files.stat(below(home, program)))?.kind !== 'file') return false
    return true
  }

  async #install(runtime: RuntimePackage, home: SafePath, context: FetchContext): Promise<void> {
    const files = this.#files
    const directory = getChild(directories.unpacking, `${runtime.name}-${randomBytes(4).toString('hex')}`)
    const archive = await transfer({
      ...context,
      url: runtime.url,
      digest: runtime.digest,
      files,
      folder: getChild(directories.downloads, runtime.name),
      name: runtime.archive,
    })
    await using cleanup = new AsyncDisposableStack()
    cleanup.defer(() => removed(files, getChild(directories.downloads, runtime.name)))
    cleanup.defer(() => removed(files, directory))
    await files.mkdirs(directory)
    context.say(`Extracting: ${getName(archive)}`)
    const progress = new Progress()
    await extractArchive({
      files,
      archive,
      destination: directory,
      onConflict: 'refuse',
      progress,
      signal: context.signal,
    })
    const inside = await this.#singleFolder(directory)
    await this.#finish(runtime, inside)
    context.signal.throwIfAborted()
    await this.#serialize(async () => {
      await removed(files, home)
      await files.setStat(inside, { modified: new Date() })
      await files.rename(inside, home)
    })
  }

  /** Most archives contain a single directory with everything in it. */
  async #singleFolder(directory: SafePath): Promise<SafePath> {
    const [first, ...others] = await this.#files.readdir(directory)
    return first?.kind === 'folder' && others.length === 0 ? getChild(directory, first.name) : directory
  }

  async #finish({ name, programs, scripts = {}, url }: RuntimePackage, inside: SafePath): Promise<void> {
    for (const [path, text] of Object.entries(scripts)) {
      const script = below(inside, path)
      await this.#files.writeFile(script, text)
      await this.#files.setStat(script, { mode: 0o755 })
    }
    for (const program of programs) {
      const path = below(inside, program)
      if ((await this.#files.stat(path))?.kind !== 'file')
        throw new Error(`the archive of ${name} from ${url.hostname} contains no ${program}`)
      await this.#files.setStat(path, { mode: 0o755 })
    }
    await this.#makeReadable(inside)
  }

  /** Makes everything readable for every server, whatever the archive's modes or the daemon's umask are. */
  async #makeReadable(inside: SafePath): Promise<void> {
    await this.#files.setStat(inside, { mode: 0o755 })
    for await (const { path, info } of this.#files.walk(inside)) {
      const { kind, mode, isReachable } = info
      if (!isReachable || (kind !== 'file' && kind !== 'folder')) continue
      const required = kind === 'folder' || (mode & 0o100) !== 0 ? 0o755 : 0o644
      if ((mode & required & 0o055) !== (required & 0o055)) await this.#files.setStat(path, { mode: mode | required })
    }
  }
}

/** The package that a host path leads into. */
const packageAt = (directory: string, path: string): string => relative(directory, path).split(sep)[0] ?? ''

/** Excludes temporary names of links. */
const isFinished = (name: string): boolean => !/\.[0-9a-f]{8}$/.test(name)

const below = (folder: SafePath, path: string): SafePath => parsePath([...folder, path].join('/'))

async function removed(files: RootFs, path: SafePath): Promise<void> {
  await files.removeTree(path).catch(ignoreRefusals('ErrFileNotFound'))
}
