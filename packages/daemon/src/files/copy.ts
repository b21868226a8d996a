import type { BigIntStats } from 'node:fs'
import { constants } from 'node:fs'
import { readlink, rename, symlink, unlink } from 'node:fs/promises'
import type { OnExisting } from '@innkeeper/contract/files'
import { limits } from '@innkeeper/contract/limits'
import { Refusal } from '@innkeeper/contract/refusals'
import { Draft } from './draft.ts'
import { removeIn } from './empty-folder.ts'
import { codeOf } from './error-code.ts'
import { freeNameIn } from './free-name.ts'
import { HeldFolder, type RawName } from './held-folder.ts'
import { HeldWay } from './held-way.ts'
import { isRefusal, naming } from './naming.ts'
import { formatPath, isBelow, parentOf, rootPath, type SafePath, shownIn } from './safe-path.ts'
import type { Tally } from './tally.ts'
import { temporaryName } from './temporary.ts'
import { walkBelow } from './walk.ts'
import { made, presence, type Ways } from './ways.ts'

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
      if (name === undefined) throw new Refusal('ErrNotAFile', { path: formatPath(from) })
      return shownIn(parentOf(to) ?? rootPath, String(name))
    }
    const isSame = formatPath(target.way) === formatPath(source.way)
    if (isBelow(target.way, source.way) && !(isSame && copying.existing === 'keepBoth')) {
      throw new Refusal('ErrFolderInItself')
    }
    const name = isSame ? await freeNameIn(target.folder, target.name) : target.name
    const isNew = !(await presence(target.folder, name))
    try {
      await copier.copyFolder(what, { ...target, name, at: shownIn(parentOf(target.way) ?? rootPath, String(name)) })
    } catch (error) {
      // Half a copy is of no use to anybody.
      if (isNew) await removeIn(target.folder, name).catch(() => {})
      throw error
    }
    return shownIn(parentOf(to) ?? rootPath, String(name))
  })
}

class Copier {
  readonly #ways: Ways
  readonly #copying: Copying
  readonly #buffer = Buffer.allocUnsafeSlow(limits.fileReadBytes)

  constructor(ways: Ways, copying: Copying) {
    this.#ways = ways
    this.#copying = copying
  }

  async copyFolder(source: Source, goal: Goal): Promise<void> {
    const { signal, progress } = this.#copying
    const passBy = (names: readonly RawName[]) => progress?.skip(formatPath(below(source.path, names)))
    await using way = new HeldWay(await this.#enterNew(goal, source.stats))
    if (progress) progress.entries++
    for await (const { folder, above, name, stats } of walkBelow(await source.folder.enter(source.name), {
      signal,
      passBy,
    })) {
      while (way.depth > above.length) await way.up()
      const names = [...above, name]
      const deeper: Goal = { folder: await way.here(), name, at: below(goal.at, names) }
      if (stats.isDirectory()) {
        await (await this.#enterNew(deeper, stats))[Symbol.asyncDispose]()
        await way.down(name)
        if (progress) progress.entries++
      } else {
        await this.copyOne({ folder, name, stats, path: below(source.path, names) }, deeper)
      }
    }
  }

  /** Copies what is no folder; gives the name of the copy, or nothing when it is left out. */
  async copyOne(source: Source, goal: Goal): Promise<RawName | undefined> {
    const { existing, progress } = this.#copying
    for (;;) {
      const name = existing === 'keepBoth' ? await freeNameIn(goal.folder, goal.name) : goal.name
      try {
        const isCopied = source.stats.isSymbolicLink()
          ? await this.#copyLink(source, { ...goal, name })
          : await this.#copyFile(source, { ...goal, name })
        if (isCopied && progress) progress.entries++
        if (!isCopied) progress?.skip(formatPath(source.path))
        return isCopied ? name : undefined
      } catch (error) {
        // Somebody else took the free name first.
        if (existing !== 'keepBoth' || !isRefusal(error, 'ErrFileExists')) throw error
      }
    }
  }

  async #copyFile({ folder, name, stats, path }: Source, goal: Goal): Promise<boolean> {
    if (!stats.isFile()) return false
    const { existing, progress, signal } = this.#copying
    await using file = await this.#ways.openFile(folder, name, constants.O_RDONLY, path)
    await using draft = await Draft.begin(
      this.#ways,
      { folder: await HeldFolder.open(goal.folder.path), name: goal.name, path: goal.at },
      {
        existing: existing === 'replace' ? 'replace' : 'refuse',
        mode: Number(stats.mode) & 0o777,
        modified: stats.mtime,
      },
    )
    for (;;) {
      signal?.throwIfAborted()
      const { bytesRead } = await file.read(this.#buffer, 0, this.#buffer.length)
      if (bytesRead === 0) break
      await draft.write(this.#buffer.subarray(0, bytesRead))
      if (progress) progress.bytes += bytesRead
    }
    await draft.commit()
    return true
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

const below = (folder: SafePath, names: readonly RawName[]): SafePath =>
  names.reduce<SafePath>((at, name) => shownIn(at, String(name)), folder)
