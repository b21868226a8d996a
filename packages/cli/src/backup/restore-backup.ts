import { mkdir, readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { writeFileAtomic } from '@innkeeper/daemon/fs/atomic-write'
import { hasUsers, prepareSnapshot, restoreSnapshot } from '@innkeeper/panel/database/snapshot'
import { z } from 'zod'
import type { CommandContext } from '../command/command.ts'
import { DataDirLockedError, lockData } from '../installation/data-lock.ts'
import { type Manifest, readArchive } from './archive.ts'
import { BackupError } from './backup-error.ts'
import {
  backUpAll,
  configEntry,
  databaseEntry,
  definitionPath,
  isNodeFile,
  openStaging,
  pathsIn,
  uidsEntry,
} from './create-backup.ts'

/** A backup that was read and checked. */
export interface CheckedBackup extends AsyncDisposable {
  readonly manifest: Manifest
  readonly folder: string
}

type Context = Pick<CommandContext, 'config' | 'version' | 'log'>

/**
 * Reads a backup into a temporary folder and checks it: every file, and whether its database fits this version. Changes
 * nothing else.
 * @throws BackupError, SnapshotError
 */
export async function checkBackup(
  file: string,
  { config }: Context,
  passphrase: string | undefined,
): Promise<CheckedBackup> {
  const staging = await openStaging(config.dataDir)
  try {
    const manifest = await readArchive(file, staging.path, passphrase)
    const paths = new Set(manifest.files.map(({ path }) => path))
    // A panel may have been backed up before it had a database.
    const isForThisRole = paths.has(databaseEntry) ? config.role !== 'node' : manifest.role === config.role
    if (!isForThisRole)
      throw new BackupError(
        `This is a backup of the role '${manifest.role}', and this machine has the role '${config.role}'.`,
      )
    if (paths.has(databaseEntry)) await prepareSnapshot(join(staging.path, databaseEntry))
    return { manifest, folder: staging.path, [Symbol.asyncDispose]: () => staging[Symbol.asyncDispose]() }
  } catch (error) {
    await staging[Symbol.asyncDispose]()
    throw error
  }
}

/** What a restore did. */
export interface RestoreResult {
  /** Backup of the previous data. */
  readonly previous: string | undefined
  /** The restored configuration, for comparison. */
  readonly config: string | undefined
  /** Definitions that are not in the backup; they were left in place. */
  readonly others: readonly string[]
  readonly isRunning: boolean
}

/** Whether a restore would replace the data of an installation. */
export async function isInUse({ config }: Context): Promise<boolean> {
  const definitions = (await pathsIn(config.dataDir)).filter((path) => definitionPath.test(path))
  return definitions.length > 0 || (config.role !== 'node' && (await hasUsers(config.databaseUrl)))
}

/**
 * Restores a checked backup, after a backup of the current data. The database is replaced in one transaction; files are
 * replaced one by one, each atomically.
 */
export async function restoreBackup(
  { manifest, folder }: CheckedBackup,
  context: Context,
  passphrase: string | undefined,
): Promise<RestoreResult> {
  const { dataDir, backupDir, databaseUrl } = context.config
  using lock = tryLock(dataDir)
  const time = new Date().toISOString().replace(/[-:]|\.\d+/g, '')
  const previous = (await isInUse(context)) ? join(backupDir, `before-restore-${time}.backup`) : undefined
  if (previous !== undefined) await backUpAll(previous, context, passphrase)
  const paths = manifest.files.map(({ path }) => path)
  if (paths.includes(databaseEntry)) await restoreSnapshot(databaseUrl, join(folder, databaseEntry))
  for (const path of paths.filter(isNodeFile)) {
    const target = join(dataDir, path)
    const content = await readFile(join(folder, path))
    await mkdir(dirname(target), { recursive: true, mode: 0o711 })
    await writeFileAtomic(target, path === uidsEntry ? await mergeUids(content, target) : content)
  }
  const config = paths.includes(configEntry) ? join(dataDir, 'restored-config.json') : undefined
  if (config !== undefined) await writeFileAtomic(config, await readFile(join(folder, configEntry)))
  const others = (await pathsIn(dataDir)).filter((path) => definitionPath.test(path) && !paths.includes(path))
  return { previous, config, others, isRunning: lock === undefined }
}

const Uids = z.record(z.string(), z.number())

/** The users of servers: those of this machine own files already, so they take precedence. */
async function mergeUids(content: Buffer, target: string): Promise<Buffer> {
  const restored = Uids.parse(JSON.parse(content.toString('utf8')))
  const current = Uids.parse(JSON.parse(await readFile(target, 'utf8').catch(() => '{}')))
  const taken = new Set(Object.values(current))
  const added = Object.entries(restored).filter(([id, uid]) => !Object.hasOwn(current, id) && !taken.has(uid))
  return Buffer.from(JSON.stringify({ ...Object.fromEntries(added), ...current }))
}

/** Prevents a start during the restore; `undefined` when Innkeeper runs. */
function tryLock(dataDir: string): Disposable | undefined {
  try {
    const lock = lockData(dataDir)
    return { [Symbol.dispose]: () => lock.release() }
  } catch (error) {
    if (error instanceof DataDirLockedError) return undefined
    throw error
  }
}
