import { type BigIntStats, constants } from 'node:fs'
import { type FileHandle, readlink, rename, symlink, unlink } from 'node:fs/promises'
import type { OnExisting } from '@innkeeper/contract/files'
import { limits } from '@innkeeper/contract/limits'
import { Refusal } from '@innkeeper/contract/refusals'
import { Crew } from '../crew.ts'
import { codeOf } from '../error-code.ts'
import { freeNameIn } from '../path/free-name.ts'
import type { HeldFolder, RawName } from '../path/held-folder.ts'
import { HeldWay } from '../path/held-way.ts'
import { naming } from '../path/naming.ts'
import { formatPath, isBelow, parentOf, rootPath, type SafePath, shownBelow, shownIn } from '../path/safe-path.ts'
import { made, presence, type Ways } from '../path/ways.ts'
import { timeOf } from '../read/file-info.ts'
import { Draft } from '../write/draft.ts'
import { temporaryName } from '../write/temporary.ts'
import { removeIn } from './empty-folder.ts'
import type { Tally } from './tally.ts'
import { walkBelow } from './walk.ts'

export interface Copying {
  /** What becomes of files that have a name already; folders are merged. */
  readonly existing: OnExisting
  /** Counts entries and bytes, and what was left out. */
  readonly progress?: Tally | undefined
  readonly signal?: AbortSignal | undefined
}

/** Something to copy: a name in a held folder, and how it is called in refusals. */
interface Source {
  readonly folder: HeldFolder
  readonly name: RawName
  readonly stats: BigIntStats
  readonly path: SafePath
}

/** So much is done side by side: most of the time each waits for the disk to have it for good. */
const together = 8

/** Gone, replaced by a link or a pipe, or not for us to read. */
const passableCodes: readonly string[] = ['ENOENT', 'ELOOP', 'ENXIO', 'ENODEV', 'EACCES', 'EPERM']

interface Goal {
  readonly folder: HeldFolder
  readonly name: RawName
  /** The way there without links. */
  readonly at: SafePath
}

/** Copies a file, a link as a link, or a folder with all that is in it; says where it went. */
export async function copyTree(ways: Ways, from: SafePath, to: SafePath, copying: Copying): Promise<SafePath> {
  if (from.length === 0) throw new Refusal('ErrFolderInItself')
  return await naming(from, async () => {
    const source = await ways.reach(from, { followLast: false })
    await using _ = source.folder
    const stats = await presence(source.folder, source.name)
    if (!stats) throw new Refusal('ErrFileNotFound', { path: formatPath(from) })
    const target = await naming(to, () => ways.reach(to, { followLast: false }))
    await using __ = target.folder
    const what: Source = { ...source, stats, path: from }
    const copier = new Copier(ways, copying)

    if (!stats.isDirectory()) {
      const name = await copier.copyOne(what, { ...target, at: target.way })
      await target.folder.sync()
      if (name === undefined) throw new Refusal('ErrNotAFile', { path: formatPath(from) })
      return shownIn(parentOf(to) ?? rootPath, name)
    }
    const isSame = formatPath(target.way) === formatPath(source.way)
    if (isBelow(target.way, source.way) && !(isSame && copying.existing === 'keepBoth')) {
      throw new Refusal('ErrFolderInItself')
    }
    const name = isSame ? await freeNameIn(target.folder, target.name) : target.name
    const isNew = !(await presence(target.folder, name))
    try {
      await copier.copyFolder(what, { ...target, name, at: shownIn(parentOf(target.way) ?? rootPath, name) })
      await syncFolders(target.folder, name)
    } catch (error) {
      // Half a copy is of no use to anybody.
      if (isNew) await removeIn(target.folder, name).catch(() => {})
      throw error
    }
    return shownIn(parentOf(to) ?? rootPath, name)
  })
}

class Copier {
  readonly #ways: Ways
  readonly #copying: Copying

  constructor(ways: Ways, copying: Copying) {
    this.#ways = ways
    this.#copying = copying
  }

  async copyFolder(source: Source, goal: Goal): Promise<void> {
    const { signal, progress, existing } = this.#copying
    // A free name is free only until the copy before has taken it.
    const crew = new Crew(existing === 'keepBoth' ? 1 : together)
    const passBy = (names: readonly RawName[]) => progress?.skip(formatPath(shownBelow(source.path, names)))
    try {
      await using way = new HeldWay(await this.#enterNew(goal, source.stats))
      if (progress) progress.entries++
      const steps = walkBelow(await source.folder.enter(source.name), { signal, passBy })
      for await (const { folder, above, name, stats } of steps) {
        while (way.depth > above.length) await way.up()
        const names = [...above, name]
        const deeper: Goal = { folder: await way.here(), name, at: shownBelow(goal.at, names) }
        if (stats.isDirectory()) {
          await (await this.#enterNew(deeper, stats))[Symbol.asyncDispose]()
          await way.down(name)
          if (progress) progress.entries++
        } else {
          const one: Source = { folder, name, stats, path: shownBelow(source.path, names) }
          const copy = await this.#begin(one, deeper, await this.#openOrPass(one))
          if (copy) await crew.take(copy.end())
        }
      }
    } finally {
      await crew.end()
    }
  }

  /** Copies what is no folder; gives the name of the copy, or nothing when it is left out. */
  async copyOne(source: Source, goal: Goal): Promise<RawName | undefined> {
    const copy = await this.#begin(source, goal, await this.#open(source))
    await copy?.end()
    return copy?.name
  }

  async #open({ folder, name, stats, path }: Source): Promise<FileHandle | undefined> {
    return stats.isFile() ? await this.#ways.openFile(folder, name, constants.O_RDONLY, path) : undefined
  }

  /** One file that must not be read, or became something else, is no reason to copy nothing. */
  async #openOrPass(source: Source): Promise<FileHandle | undefined> {
    try {
      return await this.#open(source)
    } catch (error) {
      if (error instanceof Refusal || passableCodes.includes(codeOf(error))) return undefined
      throw error
    }
  }

  /** Holds what it needs while both folders are there; the rest goes on without them. Nothing when it is left out. */
  async #begin(
    source: Source,
    goal: Goal,
    file: FileHandle | undefined,
  ): Promise<{ name: RawName; end(): Promise<void> } | undefined> {
    const { existing, progress } = this.#copying
    try {
      const name = existing === 'keepBoth' ? await freeNameIn(goal.folder, goal.name) : goal.name
      if (file) {
        const held = goal.folder.share()
        return { name, end: () => this.#copyFile(file, source.stats, { folder: held, name, at: goal.at }) }
      }
      if (source.stats.isSymbolicLink() && (await this.#copyLink(source, { ...goal, name }))) {
        if (progress) progress.entries++
        return { name, end: async () => {} }
      }
      progress?.skip(formatPath(source.path))
      return undefined
    } catch (error) {
      await file?.close()
      throw error
    }
  }

  /** Takes over the file, and the folder of the goal. */
  async #copyFile(opened: FileHandle, stats: BigIntStats, goal: Goal): Promise<void> {
    const { progress, signal } = this.#copying
    await using file = opened
    await using draft = await this.#beginDraft(stats, goal)
    const buffer = Buffer.allocUnsafe(Math.min(Number(stats.size) + 1, limits.fileReadBytes))
    for (;;) {
      signal?.throwIfAborted()
      const { bytesRead } = await file.read(buffer, 0, buffer.length, draft.size)
      if (bytesRead === 0) break
      await draft.write(buffer.subarray(0, bytesRead))
      if (progress) progress.bytes += bytesRead
    }
    await draft.commit()
    if (progress) progress.entries++
  }

  async #beginDraft(stats: BigIntStats, { folder, name, at }: Goal): Promise<Draft> {
    const options = {
      existing: this.#copying.existing === 'replace' ? 'replace' : 'refuse',
      mode: Number(stats.mode) & 0o777,
      modified: timeOf(stats.mtimeNs),
      syncsFolder: false,
    } as const
    return await Draft.begin(this.#ways, { folder, name, path: at, there: await presence(folder, name) }, options)
  }

  /** A link that would lead out from its new place is not made. */
  async #copyLink({ folder, name }: Source, goal: Goal): Promise<boolean> {
    const target = await readlink(folder.at(name), { encoding: 'buffer' })
    if (!(await this.#ways.resolve(target.toString('latin1'), goal.at.slice(0, -1)))) return false
    if (this.#copying.existing !== 'replace') {
      await symlink(target, goal.folder.at(goal.name))
    } else {
      const temporary = temporaryName()
      await symlink(target, goal.folder.at(temporary))
      try {
        await rename(goal.folder.at(temporary), goal.folder.at(goal.name))
      } catch (error) {
        await unlink(goal.folder.at(temporary))
        throw error
      }
    }
    return true
  }

  /** Makes a folder unless there is one, and goes into it. */
  async #enterNew({ folder, name, at }: Goal, { mode }: BigIntStats): Promise<HeldFolder> {
    const isNew = await made(folder.at(name), (Number(mode) & 0o777) | 0o700)
    try {
      const inner = await folder.enter(name)
      if (isNew) await this.#ways.ownFolder(inner)
      return inner
    } catch (error) {
      if (!['ENOTDIR', 'ELOOP'].includes(codeOf(error))) throw error
      throw new Refusal('ErrFileExists', { path: formatPath(at) }, { cause: error })
    }
  }
}

/** Makes the names of a whole tree survive a power loss. */
async function syncFolders(folder: HeldFolder, name: RawName): Promise<void> {
  const crew = new Crew(together)
  const sync = async (taken: HeldFolder) => {
    await using held = taken
    await held.sync()
  }
  try {
    const top = await folder.enter(name)
    await top.sync()
    for await (const step of walkBelow(top)) {
      if (step.stats.isDirectory()) await crew.take(sync(await step.folder.enter(step.name)))
    }
  } finally {
    await crew.end()
  }
  await folder.sync()
}
