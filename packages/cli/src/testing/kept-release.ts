import { execFileSync } from 'node:child_process'
import { globSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const archives = fileURLToPath(new URL('./releases/', import.meta.url))
const libraries = fileURLToPath(new URL('../../../../node_modules/', import.meta.url))

/** The last release, unpacked from the archive of `packaging/keep-release.ts`. */
export class KeptRelease implements AsyncDisposable {
  readonly #folder: string

  private constructor(folder: string) {
    this.#folder = folder
  }

  static async unpack(): Promise<KeptRelease> {
    const [archive = '', ...others] = globSync(join(archives, '*.tar.xz'))
    if (archive === '' || others.length > 0) throw new Error(`${archives} must have exactly one archive`)
    const folder = await mkdtemp(join(tmpdir(), 'innkeeper-release-'))
    execFileSync('tar', ['-xJf', archive, '-C', folder])
    // Its keeper imports its own contract, and everything imports today's libraries.
    await mkdir(join(folder, 'node_modules', '@innkeeper'), { recursive: true })
    await symlink('../../packages/contract', join(folder, 'node_modules', '@innkeeper', 'contract'))
    for (const name of await readdir(libraries)) {
      if (name !== '@innkeeper') await symlink(join(libraries, name), join(folder, 'node_modules', name))
    }
    return new KeptRelease(folder)
  }

  /** Its `innkeeper run`. */
  get command(): readonly string[] {
    return [process.execPath, join(this.#folder, 'packages', 'cli', 'dist', 'main.js'), 'run']
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await rm(this.#folder, { recursive: true, force: true })
  }
}
