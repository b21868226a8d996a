import { chmod, mkdir, readdir, statfs } from 'node:fs/promises'
import { freemem } from 'node:os'
import { join } from 'node:path'
import type { EnvironmentType } from '@innkeeper/contract/definitions/definition'
import { formatReason } from '@innkeeper/contract/errors/reasons'
import { RootFs } from '../files/root.ts'
import type { Owner } from '../fs/owner.ts'
import type { Isolation } from '../isolation/isolation.ts'
import type { BackupOptions } from './backup-options.ts'

/** Time until a copy must be ready. */
const defaultBootTimeoutMs = 10 * 60 * 1000

interface Deps {
  readonly dataDir: string
  readonly isolation: Pick<Isolation, 'copyOwner' | 'noCopiesReason'>
  readonly options: Pick<BackupOptions, 'boot' | 'bootTimeoutMs'>
}

/** The files of a copy of a server; removed on disposal. */
export interface TestBootFiles extends AsyncDisposable {
  readonly directory: string
  readonly owner: Owner | undefined
  readonly files: RootFs
}

/** The folder of the copies of servers that are started to verify backups. */
export class TestBoots {
  readonly #deps: Deps
  readonly #dir: string

  private constructor(deps: Deps) {
    this.#deps = deps
    this.#dir = join(deps.dataDir, 'copies')
  }

  /** Removes what an earlier daemon left. Its processes must have ended. */
  static async open(deps: Deps): Promise<TestBoots> {
    const boots = new TestBoots(deps)
    const dir = boots.#dir
    await mkdir(dir, { recursive: true })
    // The user of a copy must reach its files, whatever the umask.
    await chmod(dir, 0o711)
    for (const name of await readdir(dir)) await RootFs.remove(join(dir, name))
    return boots
  }

  get bootTimeoutMs(): number {
    return this.#deps.options.bootTimeoutMs ?? defaultBootTimeoutMs
  }

  get freeMemory(): number {
    return freemem()
  }

  async freeBytes(): Promise<number> {
    const { bavail, bsize } = await statfs(this.#dir)
    return bavail * bsize
  }

  /** Why this node starts no copies; undefined when it does. The Docker Engine isolates those in containers. */
  async disabledReason(environment: EnvironmentType | undefined): Promise<string | undefined> {
    const { options, isolation } = this.#deps
    if (options.boot === false) return formatReason('bootOffOnNode')
    return environment === 'docker' ? undefined : await isolation.noCopiesReason()
  }

  /** An empty folder for the copy of a server. There is one at a time. */
  async create(server: string): Promise<TestBootFiles> {
    const owner = this.#deps.isolation.copyOwner
    const directory = join(this.#dir, server)
    await RootFs.remove(directory)
    const files = await RootFs.open(directory, { create: true, owner })
    return {
      directory,
      owner,
      files,
      async [Symbol.asyncDispose]() {
        await files[Symbol.asyncDispose]()
        await RootFs.remove(directory)
      },
    }
  }
}
