import { copyFile, mkdir, mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { ifExists } from '@innkeeper/daemon/fs/if-exists'
import { suspensionsFile } from '@innkeeper/daemon/servers/suspensions'
import { inspectDatabase, PendingMigrationsError } from '@innkeeper/panel/database/database'
import { snapshotDatabase } from '@innkeeper/panel/database/snapshot'
import { recordBackup } from '@innkeeper/panel/settings/last-backup'
import type { CommandContext } from '../command/command.ts'
import { type Entry, writeArchive } from './archive.ts'
import { BackupError } from './backup-error.ts'

/** Where things are in an archive. */
export const databaseEntry = 'panel.db'
export const configEntry = 'config.json'
export const uidsEntry = 'users.json'

/** Keys and other files of the data folder that a new machine cannot create again. */
const nodeFiles = [
  'node-key.pem',
  'node-certificate.pem',
  'sftp-host-key',
  'sftp-host-key-ecdsa',
  'panel-keys.json',
  'backups/key',
  'backups/targets.json',
  suspensionsFile,
  uidsEntry,
] as const
export const definitionPath = /^servers\/[0-9a-f]{8}\.json$/

/** Whether an entry is a file of the data folder. */
export function isNodeFile(path: string): boolean {
  return definitionPath.test(path) || nodeFiles.some((name) => name === path)
}

type Context = Pick<CommandContext, 'config' | 'version' | 'log'>

/** A backup: the database of the panel, and definitions and keys of the node in the data folder. */
export interface CreatedBackup {
  readonly servers: number
  readonly bytes: number
  readonly hasDatabase: boolean
}

/**
 * Writes a backup to `file` while Innkeeper runs or not. The files of servers are not in it.
 * @throws BackupError when there is nothing to back up
 * @throws PendingMigrationsError when the database of a panel is still empty
 */
export async function createBackup(
  file: string,
  context: Context,
  passphrase: string | undefined,
): Promise<CreatedBackup> {
  if (context.config.role !== 'node' && !(await hasTables(context)))
    throw new PendingMigrationsError('There is no database yet.')
  return await backUpAll(file, context, passphrase)
}

/** Whether the panel has a database that was migrated. */
async function hasTables({ config }: Context): Promise<boolean> {
  return config.role !== 'node' && (await inspectDatabase(config.databaseUrl)).applied.length > 0
}

/** `createBackup`, also where a panel has no database yet, but there are files of a node. */
export async function backUpAll(
  file: string,
  context: Context,
  passphrase: string | undefined,
): Promise<CreatedBackup> {
  const { config, version, log } = context
  const { dataDir, role, databaseUrl, configFile } = config
  const createdAt = new Date()
  const hasDatabase = await hasTables(context)
  await using staging = await openStaging(dataDir)
  const entries: Entry[] = []
  for (const path of await pathsIn(dataDir)) {
    const source = join(staging.path, path)
    await mkdir(dirname(source), { recursive: true })
    // A copy, because the file can be replaced at any time. Files are written atomically, so each copy is consistent.
    if (await copyIfExists(join(dataDir, path), source)) entries.push({ path, source })
  }
  if (!hasDatabase && entries.length === 0) throw new BackupError(`There is no node in ${dataDir}.`)
  if (configFile !== undefined) {
    const source = join(staging.path, configEntry)
    if (await copyIfExists(configFile, source)) entries.push({ path: configEntry, source })
  }
  if (hasDatabase) {
    const source = join(staging.path, databaseEntry)
    await snapshotDatabase(databaseUrl, source)
    entries.push({ path: databaseEntry, source })
  }
  await mkdir(dirname(file), { recursive: true, mode: 0o700 })
  await writeArchive(file, entries, { createdAt: createdAt.toISOString(), innkeeper: version, role }, passphrase)
  if (hasDatabase) {
    await recordBackup(databaseUrl, createdAt.getTime()).catch((err: unknown) =>
      log.warn({ err }, 'the time of the backup could not be recorded in the database'),
    )
  }
  return {
    servers: entries.filter(({ path }) => definitionPath.test(path)).length,
    bytes: (await stat(file)).size,
    hasDatabase,
  }
}

/** A folder for files in preparation, which only its owner can enter. Removes folders that a killed program left. */
export async function openStaging(dataDir: string): Promise<AsyncDisposable & { readonly path: string }> {
  const [prefix, abandonedMs] = ['.backup-', 24 * 3_600_000]
  await mkdir(dataDir, { recursive: true, mode: 0o700 })
  for (const name of (await readdir(dataDir)).filter((found) => found.startsWith(prefix))) {
    const { mtimeMs } = await stat(join(dataDir, name))
    if (Date.now() - mtimeMs > abandonedMs) await rm(join(dataDir, name), { recursive: true, force: true })
  }
  const path = await mkdtemp(join(dataDir, prefix))
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) }
}

/** The files of a data folder that a backup contains. */
export async function pathsIn(dataDir: string): Promise<string[]> {
  const names = ((await ifExists(readdir(join(dataDir, 'servers')))) ?? []).toSorted()
  return [...nodeFiles, ...names.map((name) => `servers/${name}`).filter((path) => definitionPath.test(path))]
}

async function copyIfExists(from: string, to: string): Promise<boolean> {
  const copied = copyFile(from, to).then(() => true)
  return (await ifExists(copied)) ?? false
}
