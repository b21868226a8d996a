import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { Refusal } from '@innkeeper/contract/refusals'
import { extractArchive } from '../archives/archives.ts'
import { RootFs } from '../files/root.ts'
import { childOf, nameOf, parsePath, rootPath, type SafePath } from '../files/safe-path.ts'
import { Tally } from '../files/tally.ts'
import type { Fetcher } from '../network/fetch.ts'
import type { Digest } from './digest.ts'
import { Together, type Waiting } from './together.ts'
import { transfer } from './transfer.ts'

/** An archive with programs for servers. */
export interface Ware {
  /** What it is called here; says which version it is. */
  readonly name: string
  readonly url: URL
  readonly digest?: Digest | undefined
  /** The file name that the archive is unpacked by. */
  readonly archive: string
  /** What must be in it, below its single folder if it has one; it is made executable. */
  readonly programs: readonly string[]
  /** Texts that are put beside, by their path; executable as well. */
  readonly scripts?: Readonly<Record<string, string>>
}

/** Whose hands it is brought by. */
export interface Fetching extends Waiting {
  readonly fetch: Fetcher
}

const places = { downloads: parsePath('downloads'), unpacking: parsePath('unpacking'), servers: parsePath('servers') }

/**
 * Programs that the node keeps unpacked for its servers, such as Java: `<name>/…`, and in `servers/<id>` links to those
 * that one server has asked for, which is a folder of its PATH. Servers read here and write nothing.
 */
export class Shelf {
  readonly #files: RootFs
  readonly #together = new Together()
  /** Links of servers are changed one after the other. */
  #linking: Promise<unknown> = Promise.resolve()

  private constructor(files: RootFs) {
    this.#files = files
  }

  static async open(directory: string): Promise<Shelf> {
    const files = await RootFs.open(directory, { create: true })
    await files.setStat(rootPath, { mode: 0o711 })
    await files.sweep()
    // What an earlier daemon had begun; nobody goes on with it.
    for (const left of [places.downloads, places.unpacking]) await removed(files, left)
    return new Shelf(files)
  }

  /** Where it is on this machine. */
  get directory(): string {
    return this.#files.directory
  }

  /** The folder with the links of a server, whether it has any or not. */
  folderOf(server: string): string {
    return join(this.directory, 'servers', server)
  }

  /** Has a ware unpacked, and says its folder. Whoever asks at the same time waits for the same download. */
  async have(ware: Ware, { fetch, signal, say }: Fetching): Promise<string> {
    const home = parsePath(ware.name)
    if (!(await this.#isWhole(home, ware))) {
      const waiting = { signal, say: (message: string) => say(message) }
      await this.#together.run(ware.name, waiting, async (how) => {
        if (!(await this.#isWhole(home, ware))) await this.#bring(ware, home, { ...how, fetch })
      })
    }
    return join(this.directory, ware.name)
  }

  /** The names of what is there and begins like this. */
  async kept(beginning: string): Promise<readonly string[]> {
    const all = await this.#files.readdir(rootPath)
    return all.filter(({ name, kind }) => kind === 'folder' && name.startsWith(beginning)).map(({ name }) => name)
  }

  /** Puts programs on the PATH of a server, by the names given: paths on the shelf. */
  async link(server: string, programs: Readonly<Record<string, string>>): Promise<void> {
    const turn = this.#linking.then(async () => {
      const folder = childOf(places.servers, server)
      await this.#files.mkdirs(folder)
      for (const [name, program] of Object.entries(programs)) {
        const fresh = childOf(folder, `${name}.${randomBytes(4).toString('hex')}`)
        await this.#files.symlink(join('..', '..', program), fresh)
        await this.#files.rename(fresh, childOf(folder, name))
      }
    })
    // Whoever asked is told of a failure; the next in turn only waits.
    this.#linking = turn.catch(() => {})
    await turn
  }

  /** The names of the programs that a server has from here. */
  async linksOf(server: string): Promise<readonly string[]> {
    const folder = childOf(places.servers, server)
    if ((await this.#files.stat(folder))?.kind !== 'folder') return []
    return (await this.#files.readdir(folder)).map(({ name }) => name)
  }

  /** Forgets a server; what it used stays for others. */
  async forget(server: string): Promise<void> {
    await removed(this.#files, childOf(places.servers, server))
  }

  async close(): Promise<void> {
    await this.#files[Symbol.asyncDispose]()
  }

  async #isWhole(home: SafePath, { programs }: Ware): Promise<boolean> {
    for (const program of programs) if ((await this.#files.stat(below(home, program)))?.kind !== 'file') return false
    return true
  }

  async #bring(ware: Ware, home: SafePath, how: Fetching): Promise<void> {
    const files = this.#files
    const place = childOf(places.unpacking, `${ware.name}-${randomBytes(4).toString('hex')}`)
    const archive = await transfer({
      ...how,
      ...{ url: ware.url, digest: ware.digest, files },
      ...{ folder: childOf(places.downloads, ware.name), name: ware.archive },
    })
    try {
      await files.mkdirs(place)
      how.say(`Unpacking: ${nameOf(archive)}`)
      const tally = new Tally()
      await extractArchive({ files, archive, destination: place, existing: 'refuse', tally, signal: how.signal })
      const inside = await this.#singleFolder(place)
      await this.#finish(ware, inside)
      how.signal.throwIfAborted()
      await removed(files, home)
      await files.rename(inside, home)
    } finally {
      await removed(files, place)
      await removed(files, childOf(places.downloads, ware.name))
    }
  }

  /** Most archives hold one folder, with everything in it. */
  async #singleFolder(place: SafePath): Promise<SafePath> {
    const [first, ...others] = await this.#files.readdir(place)
    return first?.kind === 'folder' && others.length === 0 ? childOf(place, first.name) : place
  }

  async #finish({ name, programs, scripts = {}, url }: Ware, inside: SafePath): Promise<void> {
    for (const [path, text] of Object.entries(scripts)) {
      const script = below(inside, path)
      await this.#files.writeFile(script, text)
      await this.#files.setStat(script, { mode: 0o755 })
    }
    for (const program of programs) {
      const path = below(inside, program)
      if ((await this.#files.stat(path))?.kind !== 'file')
        throw new Error(`the archive of ${name} from ${url.hostname} holds no ${program}`)
      await this.#files.setStat(path, { mode: 0o755 })
    }
    await this.#show(inside)
  }

  /** Whatever an archive says of itself, and whatever we keep back from others by habit: every server may read it. */
  async #show(inside: SafePath): Promise<void> {
    await this.#files.setStat(inside, { mode: 0o755 })
    for await (const { path, info } of this.#files.walk(inside)) {
      const { kind, mode, isAddressable } = info
      if (!isAddressable || (kind !== 'file' && kind !== 'folder')) continue
      const wanted = kind === 'folder' || (mode & 0o100) !== 0 ? 0o755 : 0o644
      if ((mode & wanted & 0o055) !== (wanted & 0o055)) await this.#files.setStat(path, { mode: mode | wanted })
    }
  }
}

const below = (folder: SafePath, path: string): SafePath => parsePath([...folder, path].join('/'))

async function removed(files: RootFs, path: SafePath): Promise<void> {
  await files.removeTree(path).catch((error: unknown) => {
    if (!(error instanceof Refusal && error.code === 'ErrFileNotFound')) throw error
  })
}
