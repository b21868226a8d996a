import { dirname, isAbsolute, join, resolve } from 'node:path'
import { tryParseListenAddress } from '@innkeeper/contract/http/listen-address'
import { TemplateName } from '@innkeeper/contract/text/names'
import { parseJsonOrUndefined } from '@innkeeper/contract/text/parse-json'
import { type ForeignRow, openForeignDatabase } from '@innkeeper/panel/database/foreign-database'
import {
  emptyPlan,
  type ImportedNode,
  type ImportedServer,
  type ImportedTemplate,
  type ImportPlan,
} from '@innkeeper/panel/import/import-plan'
import { z } from 'zod'
import { addLayoutNotes, addTableNotes, flatRow } from '../layout.ts'
import { portIn, textIn } from '../rows.ts'
import { getServerId, ImportError, isFile, namesIn, readSource, type SourceOptions } from '../source-files.ts'
import { getAccess, type ServerAccess } from './access.ts'
import { getDatabaseUrl } from './database-url.ts'
import { type ConvertedDefinition, convertDefinition, convertRaw } from './definition.ts'
import { pufferConfigLayout, pufferPanelLayout } from './layout.ts'

const defaultConfig = '/etc/pufferpanel/config.json'
const localHosts = ['localhost', '127.0.0.1', '::1']

const Config = z.looseObject({
  panel: z
    .looseObject({ database: z.looseObject({ dialect: z.string(), url: z.string() }).partial().optional() })
    .optional(),
  daemon: z
    .looseObject({
      data: z.looseObject({ servers: z.string(), root: z.string() }).partial().optional(),
      sftp: z.looseObject({ key: z.string() }).partial().optional(),
    })
    .optional(),
})

interface Places {
  readonly database: string
  readonly servers: string
  readonly sftpHostKey: string
  /** Its configuration. */
  readonly settings: ForeignRow
}

/**
 * Reads PufferPanel 2.x or 3.x: users, permissions and nodes from its database, definitions and tasks from the folder of
 * its servers. Without a panel, on the machine of a node, only the latter.
 * @throws ImportError, ForeignDatabaseError
 */
export async function readPufferPanel(options: SourceOptions): Promise<ImportPlan> {
  const places = await readPlaces(options)
  const notes: string[] = []
  const definitions = await readDefinitions(places.servers, notes)
  if (!options.hasPanel) {
    for (const [key, read] of definitions) for (const note of read.notes) notes.push(`server ${key}: ${note}`)
    const servers = [...definitions].map(([key, read]) =>
      getServer(key, undefined, read, places.servers, undefined, []),
    )
    return {
      ...emptyPlan,
      source: 'PufferPanel (node)',
      sftpHostKey: places.sftpHostKey,
      servers,
      found: { servers: servers.length },
      notes,
    }
  }
  await using db = await openForeignDatabase(places.database)
  const columns = db.tables.get('permissions')
  if (!columns || !db.tables.has('users')) throw new ImportError('The database is not one of PufferPanel 2.x or 3.x.')
  const isV3 = columns.includes('scopes') && !columns.includes('admin')
  const [users, permissions, clients] = [await db.rows('users'), await db.rows('permissions'), await db.rows('clients')]
  const access = getAccess({ users, permissions, clients, isV3 }, notes)
  const nodeRows = await db.rows('nodes')
  const serverRows = await db.rows('servers')
  const nodes = getNodes(nodeRows, options.node)
  const servers = getServers(serverRows, nodes, { definitions, folder: places.servers, access: access.servers }, notes)
  const templateRows = await db.rows('templates')
  const templates = getTemplates(templateRows, notes)
  await addLayoutNotes(db, pufferPanelLayout, notes)
  addTableNotes('configuration', [places.settings], pufferConfigLayout, notes)
  return {
    source: `PufferPanel ${isV3 ? '3.x' : '2.x'}`,
    users: access.users,
    clients: access.clients,
    sftpHostKey: places.sftpHostKey,
    nodes,
    templates,
    servers,
    found: {
      users: users.length,
      permissions: permissions.filter((row) => textIn(row, 'server_identifier') && textIn(row, 'user_id')).length,
      nodes: nodeRows.length,
      templates: templateRows.length,
      servers: serverRows.length,
      clients: clients.length,
    },
    notes,
  }
}

/** Where the database and the servers are: from the options, else the configuration, else the defaults. */
async function readPlaces({ config: path = defaultConfig, database, servers }: SourceOptions): Promise<Places> {
  const text = await readSource(path)
  const { success, data: config } = Config.safeParse(text === undefined ? {} : parseJsonOrUndefined(text))
  if (!success) throw new ImportError(`${path} is not a configuration of PufferPanel.`)
  const base = dirname(path)
  const root = config.daemon?.data?.root ?? '/var/lib/pufferpanel'
  const folder = servers ?? config.daemon?.data?.servers ?? join(root, 'servers')
  const { dialect = 'sqlite3', url = '' } = config.panel?.database ?? {}
  return {
    database: database ?? getDatabaseUrl(dialect, url, base),
    servers: isAbsolute(folder) ? folder : resolve(base, folder),
    sftpHostKey: await readSftpHostKey(config.daemon?.sftp?.key ?? 'sftp.key', [base, root]),
    settings: { path, ...flatRow(config) },
  }
}

/** A relative path is below the folder of the configuration in 2.x, and below that of all data in 3.x. */
async function readSftpHostKey(key: string, folders: readonly string[]): Promise<string> {
  const paths = folders.map((folder) => resolve(folder, key))
  for (const path of paths) if (await isFile(path)) return path
  return paths[0] ?? key
}

/** The definitions in a folder, by ID. Those that cannot be used are noted by name. */
async function readDefinitions(folder: string, notes: string[]): Promise<ReadonlyMap<string, ConvertedDefinition>> {
  const definitions = new Map<string, ConvertedDefinition>()
  for (const name of (await namesIn(folder)).filter((fileName) => fileName.endsWith('.json'))) {
    const key = name.slice(0, -'.json'.length)
    try {
      const text = (await readSource(join(folder, name))) ?? ''
      const schedule = await readSource(join(folder, `${key}.cron`))
      definitions.set(
        key,
        convertDefinition(
          parseJsonOrUndefined(text),
          schedule === undefined ? undefined : parseJsonOrUndefined(schedule),
        ),
      )
    } catch (error) {
      notes.push(`server ${key}: ${join(folder, name)}: ${error instanceof Error ? error.message : error}`)
    }
  }
  return definitions
}

/** The nodes on other machines. The node that is on this machine, by its name or address, becomes the local one. */
function getNodes(rows: readonly ForeignRow[], local: string | undefined): ImportedNode[] {
  return rows.flatMap((row) => {
    const name = textIn(row, 'name') ?? ''
    const publicHost = textIn(row, 'public_host') ?? ''
    const privateHost = textIn(row, 'private_host') || publicHost
    const isLocal = local === undefined ? localHosts.includes(privateHost) : name === local
    if (isLocal) return []
    const publicPort = portIn(row, 'public_port', 8080)
    return {
      key: textIn(row, 'id') ?? '',
      name: name.slice(0, 100) || publicHost,
      publicHost: publicHost.slice(0, 255),
      publicPort,
      privateHost: privateHost.slice(0, 255),
      privatePort: portIn(row, 'private_port', 5656),
      sftpPort: portIn(row, 'sftp_port', 5657),
    }
  })
}

interface ServerSources {
  readonly definitions: ReadonlyMap<string, ConvertedDefinition>
  readonly folder: string
  readonly access: ServerAccess
}

function getServers(
  rows: readonly ForeignRow[],
  nodes: readonly ImportedNode[],
  { definitions, folder, access }: ServerSources,
  notes: string[],
): ImportedServer[] {
  const known = new Set(rows.map((row) => textIn(row, 'identifier')))
  for (const key of definitions.keys()) {
    if (!known.has(key)) notes.push(`server ${key}: it has a definition in ${folder}, and no entry in the database`)
  }
  return rows.flatMap((row) => {
    const key = textIn(row, 'identifier') ?? ''
    const name = textIn(row, 'name') || key
    const node = nodes.find((candidate) => candidate.key === textIn(row, 'node_id'))?.key
    const read = definitions.get(key)
    if (!read && node === undefined) {
      notes.push(`server ${name}: there is no usable definition ${join(folder, `${key}.json`)}`)
      return []
    }
    for (const note of read?.notes ?? []) notes.push(`server ${name}: ${note}`)
    return getServer(key, row, node === undefined ? read : undefined, folder, node, access.get(key) ?? [])
  })
}

function getServer(
  key: string,
  row: ForeignRow | undefined,
  read: ConvertedDefinition | undefined,
  folder: string,
  node: string | undefined,
  users: ImportedServer['users'],
): ImportedServer {
  const address = read ? tryParseListenAddress(read.definition.data) : undefined
  const port = address?.port || (row ? portIn(row, 'port', 0) : 0)
  return {
    id: getServerId('pufferpanel', key),
    name: (row && textIn(row, 'name')) || key,
    node,
    definition: read?.definition,
    type: (read?.definition.type ?? (row && textIn(row, 'type')) ?? 'generic').slice(0, 100),
    ip: (address?.ip ?? (row && textIn(row, 'ip')) ?? '0.0.0.0').slice(0, 255),
    port,
    users,
    files: node === undefined ? (read?.root ?? join(folder, key)) : undefined,
  }
}

function getTemplates(rows: readonly ForeignRow[], notes: string[]): ImportedTemplate[] {
  return rows.flatMap((row) => {
    const name = textIn(row, 'name') ?? ''
    try {
      if (!TemplateName.safeParse(name).success) throw new ImportError('its name is not valid here')
      const { template, notes: lost } = convertRaw(parseJsonOrUndefined(textIn(row, 'raw_value') ?? ''))
      for (const note of lost) notes.push(`template ${name}: ${note}`)
      return { name, template: { ...template, readme: textIn(row, 'readme') || template.readme } }
    } catch (error) {
      notes.push(`template ${name}: ${error instanceof Error ? error.message : error}`)
      return []
    }
  })
}
