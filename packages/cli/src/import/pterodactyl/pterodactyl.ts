import { dirname, join } from 'node:path'
import { type ForeignRow, openForeignDatabase } from '@innkeeper/panel/database/foreign-database'
import { emptyPlan, type ImportedNode, type ImportPlan } from '@innkeeper/panel/import/import-plan'
import { addLayoutNotes } from '../layout.ts'
import { portIn, textIn } from '../rows.ts'
import { ImportError, namesIn, type SourceOptions } from '../source-files.ts'
import { getUsers } from './access.ts'
import { readEggFiles } from './egg-files.ts'
import { getEggs, getTemplates } from './eggs.ts'
import { readLaravelSettings } from './laravel.ts'
import { pterodactylLayout } from './layout.ts'
import { getPorts } from './ports.ts'
import { getServers, withLabels } from './servers.ts'

const products = {
  pterodactyl: {
    title: 'Pterodactyl 1.x',
    config: '/var/www/pterodactyl/.env',
    servers: '/var/lib/pterodactyl/volumes',
  },
  pelican: { title: 'Pelican', config: '/var/www/pelican/.env', servers: '/var/lib/pelican/volumes' },
} as const

/**
 * Reads the database of Pterodactyl or of Pelican, which is made from it.
 * @throws ImportError, ForeignDatabaseError
 */
export async function readPterodactyl(product: keyof typeof products, options: SourceOptions): Promise<ImportPlan> {
  const { title, config, servers: folder } = products[product]
  if (options.eggs !== undefined) return await planOfEggs(title, options.eggs)
  const settings = await readLaravelSettings(options.config ?? config)
  const url = options.database ?? settings.database
  if (url === undefined)
    throw new ImportError(`${options.config ?? config} names no database. Use --config or --database.`)
  await using db = await openForeignDatabase(url)
  if (!db.tables.has('eggs') || !db.tables.has('servers')) throw new ImportError(`The database is not one of ${title}.`)
  const notes: string[] = []
  const nodeRows = await db.rows('nodes')
  const local = findLocalNode(nodeRows, options.node)
  const nodes = nodeRows.filter((row) => row !== local).map(getNode)
  const [eggRows, eggVariables] = [await db.rows('eggs'), await db.rows('egg_variables')]
  const eggs = getEggs(eggRows, eggVariables)
  const rows = {
    servers: await db.rows('servers'),
    allocations: await db.rows('allocations'),
    serverVariables: await db.rows('server_variables'),
    eggVariables,
    subusers: await db.rows('subusers'),
    schedules: await db.rows('schedules'),
    tasks: await db.rows('tasks'),
  }
  const context = {
    eggs,
    remoteNodes: new Set(nodes.map(({ key }) => key)),
    folder: options.servers ?? folder,
    timezone: settings.timezone,
  }
  const sftpHostKey = join(context.folder, '.sftp/id_ed25519')
  const servers = withLabels(getServers(rows, context, notes), rows.servers, notes)
  if (!options.hasPanel) {
    const own = servers.filter(({ node }) => node === undefined)
    return { ...emptyPlan, source: `${title} (node)`, sftpHostKey, servers: own, found: { servers: own.length }, notes }
  }
  const accounts = {
    users: await db.rows('users'),
    roles: await db.rows('roles'),
    modelRoles: await db.rows('model_has_roles'),
  }
  const users = getUsers(accounts, settings.key, notes)
  const templates = getTemplates(eggs, notes)
  await addLayoutNotes(db, pterodactylLayout, notes)
  notes.push(...settings.notes, ...(await readIconNotes(dirname(options.config ?? config))))
  return {
    ...emptyPlan,
    source: title,
    users,
    nodes,
    templates,
    servers,
    // A panel without a node on this machine has no files here.
    sftpHostKey: local ? sftpHostKey : undefined,
    ports: getPorts(rows.allocations, context.remoteNodes, notes),
    found: {
      users: accounts.users.length,
      permissions: rows.subusers.length + rows.servers.length,
      nodes: nodes.length,
      templates: eggRows.length,
      servers: rows.servers.length,
      tasks: rows.schedules.length,
    },
    notes,
  }
}

/** Pelican has the icons of servers and eggs as files; in its container, another folder is mounted for them. */
async function readIconNotes(folder: string): Promise<string[]> {
  const places = ['storage/app/public/icons', 'storage/icons'].flatMap((place) =>
    ['server', 'egg'].map((kind) => join(folder, place, kind)),
  )
  const found = await Promise.all(places.map(async (place) => ({ place, icons: (await namesIn(place)).length })))
  return found.flatMap(({ place, icons }) => (icons > 0 ? [`${icons} icons in ${place}: are not carried over`] : []))
}

/** The eggs of files, without a database. */
async function planOfEggs(title: string, path: string): Promise<ImportPlan> {
  const notes: string[] = []
  const eggs = await readEggFiles(path, notes)
  const templates = getTemplates(eggs, notes)
  return { ...emptyPlan, source: `Eggs of ${title}`, templates, found: { templates: eggs.size }, notes }
}

/** The node on this machine: the named one, or the only one. An empty name means none. */
function findLocalNode(rows: readonly ForeignRow[], name: string | undefined): ForeignRow | undefined {
  const names = rows.map((row) => textIn(row, 'name') ?? '')
  if (name === '') return undefined
  if (name === undefined && rows.length > 1)
    throw new ImportError(
      `Name the node that is on this machine with --node: ${names.join(', ')}. --node "" is none of them.`,
    )
  if (name === undefined) return rows[0]
  const found = rows[names.indexOf(name)]
  if (!found) throw new ImportError(`There is no node ${name}: ${names.join(', ')}.`)
  return found
}

function getNode(row: ForeignRow): ImportedNode {
  const host = (textIn(row, 'fqdn') ?? '').slice(0, 255)
  const port = (...columns: string[]) => columns.find((column) => textIn(row, column) !== undefined) ?? ''
  const listen = portIn(row, port('daemonListen', 'daemon_listen'), 8080)
  return {
    key: textIn(row, 'id') ?? '',
    name: (textIn(row, 'name') || host).slice(0, 100),
    publicHost: host,
    publicPort: portIn(row, 'daemon_connect', listen),
    privateHost: host,
    privatePort: listen,
    sftpPort: portIn(row, port('daemonSFTP', 'daemon_sftp'), 2022),
  }
}
