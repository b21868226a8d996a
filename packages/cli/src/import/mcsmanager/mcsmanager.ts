import { join } from 'node:path'
import type { ServerPermission } from '@innkeeper/contract/api/permissions'
import { parseJsonOrUndefined } from '@innkeeper/contract/text/parse-json'
import {
  emptyPlan,
  type ImportedNode,
  type ImportedServer,
  type ImportedUser,
  type ImportPlan,
} from '@innkeeper/panel/import/import-plan'
import { z } from 'zod'
import { emailFor, isOtpSecret } from '../conversions.ts'
import { addTableNotes, flatRow, lostSettings } from '../layout.ts'
import { ImportError, isFolder, namesIn, readSource, type SourceOptions } from '../source-files.ts'
import { getServer, Instance, TaskFile } from './instance.ts'
import { daemonConfigLayout, daemonLayout, instanceLayout, taskLayout, userLayout } from './layout.ts'

const User = z.looseObject({
  uuid: z.string().max(100),
  userName: z.string().max(200),
  passWord: z.string().max(300).catch(''),
  /** 1 is bcrypt, anything else MD5. */
  passWordType: z.number().catch(0),
  /** 10 administrator, 1 user, 0 guest, -1 banned. */
  permission: z.number().catch(0),
  instances: z.array(z.looseObject({ instanceUuid: z.string(), daemonId: z.string() })).catch([]),
  apiKey: z.string().catch(''),
  secret: z.string().catch(''),
  open2FA: z.boolean().catch(false),
})
type User = z.output<typeof User>

const Daemon = z.looseObject({
  ip: z.string().max(255).catch(''),
  port: z.coerce.number().int().min(1).max(65_535).catch(24_444),
  remarks: z.string().catch(''),
  apiKey: z.string().catch(''),
})

const DaemonConfig = z.looseObject({ key: z.string().catch(''), defaultInstancePath: z.string().catch('') })

/** This setting takes the files from users who are no administrators. */
const Settings = z.looseObject({ canFileManager: z.unknown().optional() })

/** The host's own terminal, as an instance. */
const hostTerminal = 'global0001'

/** What a user may do with an instance there. */
const userPermissions: readonly ServerPermission[] = [
  'viewServerConsole',
  'viewServerStats',
  'viewServerFiles',
  'startServer',
  'stopServer',
  'sendServerConsole',
  'putServerFiles',
]

/**
 * Reads MCSManager 10 from its installation folder: users from `web/data`, instances and tasks from `daemon/data`.
 * @throws ImportError
 */
export async function readMcsManager(options: SourceOptions): Promise<ImportPlan> {
  const { folder, emailDomain, hasPanel } = options
  const [web, daemon] = [join(folder, 'web/data'), join(folder, 'daemon/data')]
  if (!(await isFolder(daemon)) && !(await isFolder(web)))
    throw new ImportError(`${folder} has no web/data and no daemon/data of MCSManager.`)
  const notes: string[] = []
  const config = await readOne(join(daemon, 'Config/global.json'), DaemonConfig, notes)
  const found = await readAll(join(daemon, 'InstanceConfig'), Instance, notes)
  const tasks = await readAll(join(daemon, 'TaskConfig'), TaskFile, notes)
  const users = hasPanel ? await readAll(join(web, 'User'), User, notes) : new Map<string, User>()
  const daemons = hasPanel ? await readAll(join(web, 'RemoteServiceConfig'), Daemon, notes) : new Map()
  const localIds = [...daemons].flatMap(([id, { apiKey }]) => (apiKey !== '' && apiKey === config?.key ? [id] : []))
  const instances = [...found].filter(([id]) => id !== hostTerminal)
  const imported = getUsers([...users.values()], emailDomain, notes)
  const getRows = (files: readonly unknown[]) => files.map((file) => flatRow(file))
  addTableNotes('users', getRows([...users.values()]), userLayout, notes)
  addTableNotes('nodes', getRows([...daemons.values()]), daemonLayout, notes)
  addTableNotes('tasks', getRows([...tasks.values()]), taskLayout, notes)
  addTableNotes('instances', getRows(instances.map(([id, file]) => ({ id, ...file }))), instanceLayout, notes)
  if (config) addTableNotes('daemon', [{ path: daemon, ...flatRow(config) }], daemonConfigLayout, notes)
  const settingsFile = join(web, 'SystemConfig/config.json')
  const settings = hasPanel ? await readOne(settingsFile, Settings, notes) : undefined
  const lost = Object.keys(settings ?? {}).filter((name) => name !== 'canFileManager')
  notes.push(...lostSettings(settingsFile, lost))
  const permissions = userPermissions.filter((name) => settings?.canFileManager !== false || !/Files$/.test(name))
  const access = getAccess(
    [...users.values()].filter(({ uuid }) => imported.some(({ key }) => key === uuid)),
    { localIds, known: new Set(instances.map(([id]) => id)), permissions },
    notes,
  )
  const data = options.servers ?? (config?.defaultInstancePath || join(daemon, 'InstanceData'))
  const servers = instances.map(([id, instance]): ImportedServer => {
    const note = (text: string) => notes.push(`server ${instance.nickname || id}: ${text}`)
    const own = [...tasks.values()].filter(({ instanceUuid }) => instanceUuid === id)
    return getServer(
      { id, instance, tasks: own, users: access.get(id) ?? [] },
      { data, daemon: join(daemon, '..') },
      note,
    )
  })
  const nodes = [...daemons].flatMap(([key, { ip, port, remarks }]): ImportedNode[] => {
    if (localIds.includes(key)) return []
    const name = (remarks || ip || key).slice(0, 100)
    return [{ key, name, publicHost: ip, publicPort: port, privateHost: ip, privatePort: port, sftpPort: 5657 }]
  })
  return {
    ...emptyPlan,
    source: hasPanel ? 'MCSManager 10' : 'MCSManager 10 (daemon)',
    users: imported,
    nodes,
    servers,
    found: { users: users.size, nodes: daemons.size, servers: instances.length, tasks: tasks.size },
    notes,
  }
}

function getUsers(users: readonly User[], emailDomain: string, notes: string[]): ImportedUser[] {
  const taken = new Set<string>()
  return users.flatMap((user): ImportedUser[] => {
    const { uuid, userName, passWord, passWordType, permission, apiKey, secret, open2FA } = user
    if (permission < 0) {
      notes.push(`user ${userName}: is banned there`)
      return []
    }
    const email = emailFor(userName, emailDomain, taken)
    notes.push(`user ${userName}: logs in as ${email}, because there is no address`)
    if (apiKey !== '') notes.push(`API key of user ${userName}: is not carried over`)
    const isReadable = isOtpSecret(secret)
    if (open2FA && !isReadable) notes.push(`user ${userName}: the second factor is not readable, and is off`)
    return [
      {
        key: uuid,
        username: userName,
        email,
        passwordHash: passWordType === 1 ? passWord : undefined,
        otpSecret: open2FA && isReadable ? secret : undefined,
        scopes: permission >= 10 ? ['servers.admin'] : [],
      },
    ]
  })
}

/** Users of instances on this machine, by instance. */
function getAccess(
  users: readonly User[],
  {
    localIds,
    known,
    permissions,
  }: {
    readonly localIds: readonly string[]
    readonly known: ReadonlySet<string>
    readonly permissions: readonly ServerPermission[]
  },
  notes: string[],
): ReadonlyMap<string, ImportedServer['users']> {
  const access = new Map<string, ImportedServer['users'][number][]>()
  for (const { uuid, userName, permission, instances } of users) {
    if (permission < 1) {
      if (instances.length > 0) notes.push(`user ${userName}: is a guest there, and gets no access to instances`)
      continue
    }
    for (const { instanceUuid, daemonId } of instances) {
      if (localIds.includes(daemonId) && known.has(instanceUuid)) {
        access.set(instanceUuid, [...(access.get(instanceUuid) ?? []), { key: uuid, permissions }])
      } else notes.push(`access of user ${userName} to instance ${instanceUuid}: it is not on this machine`)
    }
  }
  return access
}

/** All JSON files of a folder, by name without extension; damaged ones are noted. */
async function readAll<T>(folder: string, schema: z.ZodType<T>, notes: string[]): Promise<Map<string, T>> {
  const files = (await namesIn(folder)).filter((name) => name.endsWith('.json'))
  const found = new Map<string, T>()
  for (const name of files) {
    const entry = await readOne(join(folder, name), schema, notes)
    if (entry !== undefined) found.set(name.slice(0, -'.json'.length), entry)
  }
  return found
}

async function readOne<T>(path: string, schema: z.ZodType<T>, notes: string[]): Promise<T | undefined> {
  const text = await readSource(path)
  if (text === undefined) return undefined
  const { success, data, error } = schema.safeParse(parseJsonOrUndefined(text))
  if (success) return data
  notes.push(`file ${path}: ${error.issues[0]?.path.join('.')}: ${error.issues[0]?.message}`)
  return undefined
}
