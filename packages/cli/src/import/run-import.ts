import { join } from 'node:path'
import type { FileLock } from '@innkeeper/daemon/keeper/process/file-lock'
import { definitionStore } from '@innkeeper/daemon/servers/definitions'
import type { ImportedServer, ImportKind, ImportPlan } from '@innkeeper/panel/import/import-plan'
import type { ImportCount, ImportOutcome } from '@innkeeper/panel/import/import-service'
import type { CommandContext } from '../command.ts'
import { DataDirLockedError, lockData } from '../data-lock.ts'
import { withOperatorContext } from '../operator.ts'
import { type ImportReport, reportOf } from './report.ts'
import { type FileMode, removeUnfinishedCopies, transferServerFiles } from './server-files.ts'
import { ImportError, isFolder } from './source-files.ts'

interface Options {
  readonly files: FileMode
  readonly dryRun: boolean
}

/**
 * Writes a plan: first the database, then definitions and files of the servers on this machine. It can be repeated: what
 * an earlier run wrote is kept, and what is missing is added.
 * @throws ImportError while Innkeeper runs, except in a dry run
 */
export async function runImport(
  found: ImportPlan,
  context: Pick<CommandContext, 'config' | 'log' | 'version' | 'terminal' | 'exit'>,
  options: Options,
): Promise<ImportReport> {
  const { role, dataDir } = context.config
  const plan = role === 'panel' ? withoutLocalServers(found) : found
  const lock = options.dryRun ? undefined : lockForImport(dataDir)
  try {
    const outcome =
      role === 'node'
        ? outcomeOfNode(plan)
        : await withOperatorContext(context, ({ imports }) => imports.apply(plan, options))
    const local = outcome.servers.filter(({ node }) => node === undefined)
    const result = await (options.dryRun ? preview : writeServers)(local, join(dataDir, 'servers'), outcome, options)
    const notes = [...outcome.notes, ...result.notes]
    return reportOf(
      plan,
      { ...outcome.counts, ...result.counts },
      { isDryRun: options.dryRun, files: result.files, notes },
    )
  } finally {
    lock?.release()
  }
}

/** A node reads definitions, and changes the owner of files, only at its start. */
function lockForImport(dataDir: string): FileLock {
  try {
    return lockData(dataDir)
  } catch (error) {
    if (!(error instanceof DataDirLockedError)) throw error
    throw new ImportError(
      `Innkeeper is running with the data folder ${dataDir}. Stop it for the import, and start it afterwards: only at its start, it reads new definitions and gives the files to the users of the servers. A dry run is possible while it runs.`,
      { cause: error },
    )
  }
}

/** A panel without a node of its own cannot have servers on this machine. */
function withoutLocalServers(plan: ImportPlan): ImportPlan {
  const local = plan.servers.filter(({ node }) => node === undefined)
  const notes = local.map(({ name }) => `server ${name}: this panel has no local node`)
  const servers = plan.servers.filter(({ node }) => node !== undefined)
  return { ...plan, servers, notes: [...plan.notes, ...notes] }
}

interface Written {
  readonly counts: Readonly<Partial<Record<ImportKind, ImportCount>>>
  readonly files: number
  readonly notes: readonly string[]
}

/** A node has no database: its panel has the rows. */
const outcomeOfNode = ({ servers }: ImportPlan): ImportOutcome => ({
  counts: {},
  notes: [],
  userIds: new Map(),
  servers,
})

async function preview(
  servers: readonly ImportedServer[],
  _folder: string,
  _outcome: ImportOutcome,
  { files }: Options,
): Promise<Written> {
  const exists = await Promise.all(servers.map(async ({ files: path }) => path !== undefined && (await isFolder(path))))
  const notes = servers.flatMap(({ name, files: path }, at) =>
    path === undefined || exists[at] ? [] : [`server ${name}: there is no folder ${path}`],
  )
  const counts = countParts(servers)
  return { counts, files: files === 'none' ? 0 : exists.filter(Boolean).length, notes: files === 'none' ? [] : notes }
}

async function writeServers(
  servers: readonly ImportedServer[],
  folder: string,
  { userIds }: ImportOutcome,
  { files: mode }: Options,
): Promise<Written> {
  await removeUnfinishedCopies(folder)
  const store = await definitionStore(folder)
  const [notes, added]: [string[], ImportedServer[]] = [[], []]
  let files = 0
  for (const server of servers) {
    try {
      if ((await store.read(server.id)) === undefined && server.definition !== undefined) {
        await store.write(server.id, withTaskOwners(server, userIds))
        added.push(server)
      }
      if (server.files === undefined) continue
      const leftOut = await transferServerFiles(server.files, store.folderOf(server.id), mode)
      if (leftOut === undefined) continue
      files++
      for (const path of leftOut) notes.push(`server ${server.name}: ${path} is no regular file`)
    } catch (error) {
      notes.push(`server ${server.name}: ${error instanceof Error ? error.message : error}`)
    }
  }
  return { counts: countParts(added, servers), files, notes }
}

/** Counts the variables and tasks of servers; those of the others exist already. */
function countParts(added: readonly ImportedServer[], all = added): Written['counts'] {
  const sizeOf = (servers: readonly ImportedServer[], part: 'data' | 'tasks') =>
    servers.reduce((sum, { definition }) => sum + Object.keys(definition?.[part] ?? {}).length, 0)
  const count = (part: 'data' | 'tasks') => {
    const number = sizeOf(added, part)
    return { added: number, existing: sizeOf(all, part) - number }
  }
  return { variables: count('data'), tasks: count('tasks') }
}

/** Tasks run with the permissions of a user: the first who may edit the server. */
function withTaskOwners(
  { definition = {}, users }: ImportedServer,
  userIds: ReadonlyMap<string, number>,
): Readonly<Record<string, unknown>> {
  const owner = users.find(({ key, permissions }) => userIds.has(key) && permissions.includes('editServerData'))
  const savedBy = owner && userIds.get(owner.key)
  if (savedBy === undefined || !definition.tasks) return definition
  const tasks = Object.entries(definition.tasks).map(([key, task]) => [key, { ...(task as object), savedBy }])
  return { ...definition, tasks: Object.fromEntries(tasks) as unknown }
}
