import { join } from 'node:path'
import type { FileLock } from '@innkeeper/daemon/keeper/process/file-lock'
import { definitionStore } from '@innkeeper/daemon/servers/definitions'
import { Suspensions } from '@innkeeper/daemon/servers/suspensions'
import type { ImportedServer, ImportKind, ImportPlan } from '@innkeeper/panel/import/import-plan'
import type { ImportCount, ImportOutcome } from '@innkeeper/panel/import/import-service'
import { type CommandContext, withCliContext } from '../command/command.ts'
import { DataDirLockedError, lockData } from '../installation/data-lock.ts'
import { getReport, type ImportReport } from './report.ts'
import { type FileMode, removeUnfinishedCopies, transferServerFiles } from './server-files.ts'
import { takeOverHostKey } from './sftp-host-key.ts'
import { ImportError, isFile, isFolder } from './source-files.ts'
import { type OwnedTasks, type TaskOwners, withTaskOwners } from './task-owners.ts'

interface Options {
  readonly files: FileMode
  readonly dryRun: boolean
  /** The user who gets tasks that no user of their server may run; on a node, the ID. */
  readonly taskOwner?: string | undefined
  /** A private key that SFTP uses from now on. */
  readonly sftpHostKey?: string | undefined
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
        ? outcomeOfNode(plan, options.taskOwner)
        : await withCliContext(context, ({ imports }) => imports.apply(plan, options))
    const local = outcome.servers.filter(({ node }) => node === undefined)
    // Before the servers are written: their presence means that clients know our key.
    const keyNotes =
      role === 'panel'
        ? []
        : await takeOverHostKey(plan.sftpHostKey, { dataDir, dryRun: options.dryRun, chosen: options.sftpHostKey })
    const result = await (options.dryRun ? preview : writeServers)(
      local,
      { dataDir, log: context.log },
      outcome,
      options,
    )
    const notes = [...outcome.notes, ...keyNotes, ...result.notes]
    return getReport(
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

/**
 * A node has no database: its panel has the rows.
 * @throws ImportError
 */
function outcomeOfNode({ servers }: ImportPlan, taskOwner: string | undefined): ImportOutcome {
  const id = taskOwner === undefined ? undefined : Number(/^#?([1-9]\d{0,9})$/.exec(taskOwner)?.[1])
  if (Number.isNaN(id))
    throw new ImportError('On a node, --task-owner is the ID of a user: innkeeper user list of the panel prints it.')
  return { counts: {}, notes: [], userIds: new Map(), taskOwner: id, servers }
}

/** The node that gets the servers. */
interface Target extends Pick<CommandContext, 'log'> {
  readonly dataDir: string
}

async function preview(
  servers: readonly ImportedServer[],
  { dataDir }: Target,
  owners: TaskOwners,
  { files: mode }: Options,
): Promise<Written> {
  const folder = join(dataDir, 'servers')
  const [notes, found]: [string[], OwnedServer[]] = [[], []]
  let files = 0
  for (const server of servers) {
    const owned = ownedServer(server, owners, await isFile(join(folder, `${server.id}.json`)))
    found.push(owned)
    notes.push(...getNotes(owned))
    if (server.files === undefined || mode === 'none') continue
    if (await isFolder(server.files)) files++
    else notes.push(`server ${server.name}: there is no folder ${server.files}`)
  }
  return { counts: getCounts(found), files, notes }
}

async function writeServers(
  servers: readonly ImportedServer[],
  { dataDir, log }: Target,
  owners: TaskOwners,
  { files: mode }: Options,
): Promise<Written> {
  const folder = join(dataDir, 'servers')
  await removeUnfinishedCopies(folder)
  const store = await definitionStore(folder)
  const suspensions = await Suspensions.open(dataDir, log)
  const [notes, written]: [string[], OwnedServer[]] = [[], []]
  let files = 0
  for (const server of servers) {
    try {
      const owned = ownedServer(server, owners, (await store.read(server.id)) !== undefined)
      if (!owned.exists && server.definition !== undefined) {
        // Before it can start with the node.
        if (server.suspended !== undefined)
          await suspensions.set(server.id, { reason: server.suspended, since: new Date().toISOString() })
        await store.write(server.id, owned.definition)
      }
      written.push(owned)
      notes.push(...getNotes(owned))
      if (server.files === undefined) continue
      const leftOut = await transferServerFiles(server.files, store.getFolder(server.id), mode)
      if (leftOut === undefined) continue
      files++
      for (const path of leftOut) notes.push(`server ${server.name}: ${path} is no regular file`)
    } catch (error) {
      notes.push(`server ${server.name}: ${error instanceof Error ? error.message : error}`)
    }
  }
  return { counts: getCounts(written), files, notes }
}

/** A server on this machine, whose definition is written unless it exists. */
interface OwnedServer extends OwnedTasks {
  readonly name: string
  readonly exists: boolean
}

const ownedServer = (server: ImportedServer, owners: TaskOwners, exists: boolean): OwnedServer => ({
  name: server.name,
  exists,
  ...withTaskOwners(server, owners),
})

/** Tasks that will not run. Those of a definition that exists are as they were. */
const getNotes = ({ name, exists, withoutOwner }: OwnedServer): readonly string[] =>
  exists
    ? []
    : withoutOwner.map(
        (task) =>
          `server ${name}: task ${task} does not run until an administrator saves it, because no user may do its steps; see --task-owner`,
      )

/** Counts the variables and tasks of servers. A task without an owner does not run, so it does not count as added. */
function getCounts(servers: readonly OwnedServer[]): Written['counts'] {
  const count = (part: 'data' | 'tasks', lost: (server: OwnedServer) => number) => {
    const sum = { added: 0, existing: 0 }
    for (const server of servers) {
      const number = Object.keys(server.definition[part] ?? {}).length
      if (server.exists) sum.existing += number
      else sum.added += number - lost(server)
    }
    return sum
  }
  return { variables: count('data', () => 0), tasks: count('tasks', ({ withoutOwner }) => withoutOwner.length) }
}
