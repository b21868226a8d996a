import { join } from 'node:path'
import { parseJsonOrUndefined } from '@innkeeper/contract/text/parse-json'
import { type ForeignRow, openForeignDatabase } from '@innkeeper/panel/database/foreign-database'
import { emptyPlan, type ImportedServer, type ImportPlan } from '@innkeeper/panel/import/import-plan'
import { getBaseDefinition, getStopTimeout, parseStopCommand } from '../conversions.ts'
import { addLayoutNotes, lostSettings } from '../layout.ts'
import { flagIn, groupBy, numberIn, portIn, textIn } from '../rows.ts'
import { getServerId, ImportError, isFolder, readSource, type SourceOptions } from '../source-files.ts'
import { getAccess } from './access.ts'
import { craftyLayout } from './layout.ts'
import { getTasks } from './schedules.ts'

/**
 * Reads Crafty 4 from its installation folder.
 * @throws ImportError, ForeignDatabaseError
 */
export async function readCrafty(options: SourceOptions): Promise<ImportPlan> {
  if (!options.hasPanel) throw new ImportError('Crafty has no nodes: run the import on the machine of the panel.')
  const { folder, database = `sqlite:${join(folder, 'app/config/db/crafty.sqlite')}`, emailDomain } = options
  await using db = await openForeignDatabase(database)
  if (!db.tables.has('role_servers') || !db.tables.has('servers'))
    throw new ImportError('The database is not one of Crafty 4.')
  const notes: string[] = []
  const rows = {
    users: await db.rows('users'),
    userRoles: await db.rows('user_roles'),
    roleServers: await db.rows('role_servers'),
    totp: await db.rows('totp_data'),
  }
  const [servers, schedules] = [await db.rows('servers'), await db.rows('schedules')]
  const access = getAccess({ ...rows, servers }, emailDomain, notes)
  const byServer = groupBy(schedules, 'server_id')
  const imported: ImportedServer[] = []
  for (const row of servers) {
    const id = textIn(row, 'server_id') ?? ''
    const name = textIn(row, 'server_name') || id
    const note = (text: string) => notes.push(`server ${name}: ${text}`)
    const path = textIn(row, 'path') ?? ''
    const tasks = getTasks(byServer.get(id) ?? [], note)
    imported.push({
      id: getServerId('crafty', id),
      name,
      node: undefined,
      definition: getDefinition(row, path, tasks, note),
      type: getType(row),
      ip: '0.0.0.0',
      port: portIn(row, 'server_port', 0),
      users: access.servers.get(id) ?? [],
      files: await readFolder(path, options),
    })
  }
  await addLayoutNotes(db, craftyLayout, notes)
  const settings = join(folder, 'app/config/config.json')
  notes.push(...lostSettings(settings, Object.keys(parseJsonOrUndefined((await readSource(settings)) ?? '') ?? {})))
  return {
    ...emptyPlan,
    source: 'Crafty 4',
    users: access.users,
    servers: imported,
    found: { users: rows.users.length, servers: servers.length, tasks: schedules.length },
    notes,
  }
}

const getType = (row: ForeignRow): string => (textIn(row, 'type') || 'game').slice(0, 100)

/** The folder of a server; in Docker the paths of the database are those in the container. */
async function readFolder(path: string, { folder, servers }: SourceOptions): Promise<string> {
  const name = path.split('/').filter(Boolean).at(-1) ?? ''
  if (servers !== undefined) return join(servers, name)
  return path.startsWith('/') && (await isFolder(path)) ? path : join(folder, 'servers', name)
}

function getDefinition(
  row: ForeignRow,
  path: string,
  tasks: Readonly<Record<string, unknown>>,
  note: (text: string) => void,
): Readonly<Record<string, unknown>> {
  const command = textIn(row, 'execution_command') ?? ''
  const isJava = getType(row) === 'minecraft-java'
  // Paths of the old folder become relative to the folder of the server.
  const prefix = path.endsWith('/') ? path : `${path}/`
  const relative = path === '' ? command : command.replaceAll(prefix, '')
  if (/(^|[\s"'=])\/\S/.test(relative)) note('its start command has absolute paths: check it')
  if (Number(textIn(row, 'auto_start_delay')) > 0) note('the delay of the automatic start is not supported')
  return {
    ...getBaseDefinition(getType(row), textIn(row, 'server_name') ?? '', portIn(row, 'server_port', 0)),
    run: {
      command: relative,
      ...parseStopCommand(textIn(row, 'stop_command') ?? 'stop'),
      ...(isJava ? { readyPattern: 'Done \\(.*\\)! For help' } : {}),
      ...getStopTimeout(numberIn(row, 'shutdown_timeout')),
      autostart: flagIn(row, 'auto_start'),
      autorecover: flagIn(row, 'crash_detection'),
    },
    environment: { type: 'standard' },
    supportedEnvironments: [{ type: 'standard' }],
    ...(Object.keys(tasks).length > 0 ? { tasks } : {}),
  }
}
