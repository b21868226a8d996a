import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { BackupRetention, retentionRules } from '@innkeeper/contract/backups/backup-retention'
import { isUpstreamName, type Mirrors, upstreams as outside } from '@innkeeper/contract/http/upstreams'
import { limits } from '@innkeeper/contract/text/limits'
import { Email, Password, Username } from '@innkeeper/contract/text/names'
import { trimEnd } from '@innkeeper/contract/text/trim-end'
import { z } from 'zod'

const defaultFile = '/etc/innkeeper/config.json'

const inRange = (min: number, max: number) =>
  z.coerce.number().min(min, `must be ${min} to ${max}`).max(max, `must be ${min} to ${max}`)
const wholeInRange = (min: number, max: number) => inRange(min, max).int('must be a whole number')
const Port = wholeInRange(1, 65_535)
const Text = z.string().min(1, 'must not be empty')
const WebUrl = z.url({ protocol: /^https?$/, error: 'must be an http or https address' })

/** A list; comma-separated in the environment. */
const List = z.preprocess(splitList, z.array(z.string()))
const HostPorts = List.refine(
  (parts) => parts.every((part) => /^(\[[0-9a-fA-F:]+\]|[^\s:/]+):\d{1,5}$/.test(part)),
  'must be a list of host:port',
)

const retentionRule = RegExp(`^(${retentionRules.join('|')})=(\\d{1,4})$`)
const retentionMessage = `must be a list of rules with a number from 0 to ${limits.backupsKept}, each rule once, for example last=3,daily=7,weekly=4; the rules are ${retentionRules.join(', ')}`

/** `last=3,daily=7`. */
const Retention = z
  .preprocess(splitList, z.array(z.string(retentionMessage).regex(retentionRule, retentionMessage), retentionMessage))
  .transform((parts, context) => {
    const counts = new Map(parts.map((part) => part.split('=')).map(([rule, count]) => [rule, Number(count)]))
    const read = BackupRetention.safeParse(Object.fromEntries(counts))
    if (read.data && counts.size === parts.length) return read.data
    context.issues.push({ code: 'custom', message: retentionMessage, input: parts })
    return z.NEVER
  })

const Network = z.union([z.ipv4(), z.ipv6(), z.cidrv4(), z.cidrv6()])
const Networks = List.refine(
  (parts) => parts.every((part) => Network.safeParse(part).success),
  'must be a list of addresses or networks',
)

/** First and last ID of the range of server users. */
const Uids = z
  .string()
  .regex(/^[1-9]\d{0,9}-[1-9]\d{0,9}$/, 'must be two numbers, first-last')
  .transform((text) => {
    const [first = 0, last = 0] = text.split('-').map(Number)
    return { first, count: last - first + 1 }
  })
  .refine(({ first, count }) => count > 0 && first + count <= 4_294_967_295, 'must be a range of user IDs')

/** Hours of the day, `from-to`. */
const Hours = z
  .string()
  .regex(/^(\d|1\d|2[0-3])-(\d|1\d|2[0-4])$/, 'must be two hours, from-to, for example 2-6')
  .transform((text) => {
    const [from = 0, to = 0] = text.split('-').map(Number)
    return { from, to }
  })

/** All settings, by their names in the configuration file. `INNKEEPER_MASTER_URL` is `masterUrl`. */
const settings = {
  role: z.enum(['all', 'panel', 'node'], 'must be all, panel or node').default('all'),
  dataDir: Text.default('./data'),
  host: Text.default('0.0.0.0'),
  port: Port.default(8080),
  masterUrl: WebUrl.transform((url) => trimEnd(url, '/')).optional(),
  translationUrl: WebUrl.optional(),
  sftpHost: Text.default('0.0.0.0'),
  sftpPort: Port.default(5657),
  nodeHost: Text.default('0.0.0.0'),
  nodePort: Port.default(5656),
  /** The settings of a node deployment: its identity, and the address and key of its panel. */
  panelUrl: WebUrl.transform((url) => trimEnd(url, '/')).optional(),
  panelKey: z
    .string()
    .regex(/^[\w-]{43}$/, 'must be the key from the page of the node')
    .optional(),
  nodeId: z.coerce.number().int('must be a whole number').min(1, 'must be 1 or more').optional(),
  nodeSecret: z.string().optional(),
  /** For many nodes: instead of the identity and the secret. */
  joinToken: z
    .string()
    .regex(/^[0-9a-f]+\.[\w-]+$/, 'must be the token from the page Nodes')
    .optional(),
  databaseUrl: z
    .string()
    .regex(/^(sqlite|postgres|postgresql|mysql|mariadb):/, 'must start with sqlite:, postgres: or mariadb:')
    .optional(),
  adminEmail: z.optional(Email),
  adminUsername: z.optional(Username),
  adminPassword: z.optional(Password),
  downloadAllow: HostPorts.default([]),
  alertAllow: HostPorts.default([]),
  oidcAllow: HostPorts.default([]),
  serverUids: Uids.optional(),
  curseforgeKey: Text.optional(),
  restic: Text.optional(),
  /** Which backups of a server are kept, by default. */
  serverBackupKeep: Retention.optional(),
  /** Days until a backup of each server is proved again, and the hours for it. */
  serverBackupProofDays: inRange(0, 365).default(7),
  serverBackupProofHours: Hours.default({ from: 2, to: 6 }),
  /** Whether copies of servers are started to verify backups. */
  serverBackupBoot: z.stringbool('must be true or false').or(z.boolean()).default(true),
  /** How many seconds a server is frozen at most while it is backed up. */
  serverBackupFreeze: inRange(0, 60).default(5),
  /** Whether a node opens tunnels to panels that do not reach it. */
  nodeTunnels: z.stringbool('must be true or false').or(z.boolean()).default(true),
  /** How long deleted files are kept, and how many GiB of each server. */
  trashDays: inRange(0, 365).default(7),
  trashMaxSize: z.coerce.number().min(0, 'must be 0 or more').max(1_000_000, 'must be at most 1000000').default(10),
  /** How many former contents of each file are kept. */
  trashVersions: wholeInRange(1, 1_000).default(20),
  trashSftp: z.stringbool('must be true or false').or(z.boolean()).default(true),
  /** After how many seconds without the panel a node sends alerts itself. */
  nodeAlertsAfter: inRange(0, 86_400).default(60),
  metricsToken: z
    .string()
    .regex(/^[\x21-\x7e]{16,}$/, 'must have at least 16 ASCII characters and no spaces')
    .optional(),
  metricsAllow: Networks.default([]),
  tlsCert: Text.optional(),
  tlsKey: Text.optional(),
  logLevel: z
    .enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace'], 'must be fatal, error, warn, info, debug or trace')
    .default('info'),
  trustProxy: List.default([]),
  /** Scheduled backups; without an interval there are none. */
  backupEveryHours: wholeInRange(1, 8760).optional(),
  backupKeep: wholeInRange(1, 1000).default(7),
  backupDir: Text.optional(),
  backupPassphrase: z.string().min(8, 'must have at least 8 characters').optional(),
  /** Unix socket for a proxy on the same machine. */
  proxySocket: Text.optional(),
} as const
type SettingName = keyof typeof settings

const upstreamPrefix = 'INNKEEPER_UPSTREAM_'
const Upstreams = z.partialRecord(z.enum(Object.keys(outside) as [keyof typeof outside]), WebUrl)

/** The validated configuration. Paths are absolute. */
export interface Config extends Readonly<z.output<z.ZodObject<typeof settings>>> {
  readonly databaseUrl: string
  readonly backupDir: string
  /** The configuration file that was read, if there is one. */
  readonly configFile: string | undefined
  /** Mirrors of external services, by lower-case name. */
  readonly upstream: Mirrors
}

/** An invalid configuration; the message lists all errors. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
}

/**
 * The configuration from the environment, the file that `INNKEEPER_CONFIG` names (else /etc/innkeeper/config.json, if it
 * exists) and the defaults, in that order.
 * @throws ConfigError naming every unknown or malformed setting.
 */
export function readConfig(env: Readonly<Record<string, string | undefined>>, cwd: string): Config {
  const errors: string[] = []
  const file = readFile(env.INNKEEPER_CONFIG, errors)
  const values: Record<string, unknown> = {}
  const source: Record<string, string> = {}

  for (const [name, value] of Object.entries(file.values)) {
    if (name === 'upstream') continue
    if (!Object.hasOwn(settings, name)) errors.push(`${file.path}: there is no setting "${name}"`)
    values[name] = value
    source[name] = `${file.path}: ${name}`
  }
  const upstream: Record<string, unknown> = isRecord(file.values.upstream) ? { ...file.values.upstream } : {}
  for (const [variable, value] of Object.entries(env)) {
    if (!variable.startsWith('INNKEEPER_') || value === undefined || notSettings.has(variable)) continue
    if (variable.startsWith(upstreamPrefix)) {
      upstream[variable.slice(upstreamPrefix.length).toLowerCase()] = value
      continue
    }
    const name = findSetting(variable)
    if (!name) errors.push(`${variable}: unknown setting`)
    else {
      values[name] = value
      source[name] = variable
    }
  }

  const known = Object.fromEntries(Object.entries(values).filter(([name]) => Object.hasOwn(settings, name)))
  const read = z.object(settings).safeParse(known)
  for (const { path, message } of read.error?.issues ?? []) {
    const name = String(path[0])
    errors.push(`${source[name] ?? getVariable(name)}: ${message}`)
  }
  const unknown = Object.keys(upstream).filter((name) => !isUpstreamName(name))
  for (const name of unknown) {
    const services = Object.keys(outside).join(', ')
    errors.push(`${upstreamPrefix}${name.toUpperCase()}: there is no such service; there are ${services}`)
    delete upstream[name]
  }
  const upstreams = Upstreams.safeParse(upstream)
  for (const { path, message } of upstreams.error?.issues ?? []) {
    errors.push(`${upstreamPrefix}${String(path[0]).toUpperCase()}: ${message}`)
  }
  errors.push(...crossFieldErrors(known))
  const config = read.data
  if (!config || !upstreams.data || errors.length > 0) {
    throw new ConfigError(['The configuration is not valid:', ...errors.map((line) => `  ${line}`)].join('\n'))
  }
  const dataDir = resolve(cwd, config.dataDir)
  return Object.freeze({
    ...config,
    configFile: file.isFound ? file.path : undefined,
    dataDir,
    backupDir: config.backupDir === undefined ? resolve(dataDir, 'innkeeper-backups') : resolve(cwd, config.backupDir),
    ...(config.proxySocket === undefined ? {} : { proxySocket: resolve(cwd, config.proxySocket) }),
    databaseUrl: config.databaseUrl ?? `sqlite:${resolve(dataDir, 'panel.db')}`,
    upstream: upstreams.data,
  })
}

/** Variables with this prefix that are not settings: the configuration file, and a marker for child processes. */
const notSettings = new Set(['INNKEEPER_CONFIG', 'INNKEEPER_RUN'])

function crossFieldErrors(config: Readonly<Record<string, unknown>>): string[] {
  const admin = [config.adminEmail, config.adminUsername, config.adminPassword]
  const found: string[] = []
  if (admin.some(Boolean) && !admin.every(Boolean)) {
    found.push('INNKEEPER_ADMIN_EMAIL, INNKEEPER_ADMIN_USERNAME and INNKEEPER_ADMIN_PASSWORD must be set together')
  }
  if (config.role === 'node') {
    const identity = config.joinToken ? [] : (['nodeId'] as const)
    const missing = (['panelUrl', 'panelKey', ...identity] as const).filter((name) => !config[name])
    if (missing.length > 0) {
      const names = missing.map((name) => `${getVariable(name)} (${name})`).join(', ')
      found.push(`The role node needs ${names}: the page of the node in the panel shows the whole configuration`)
    }
  }
  if (Boolean(config.tlsCert) !== Boolean(config.tlsKey))
    found.push('INNKEEPER_TLS_CERT and INNKEEPER_TLS_KEY must be set together')
  return found
}

interface ConfigFile {
  readonly path: string
  readonly isFound: boolean
  readonly values: Record<string, unknown>
}

function readFile(named: string | undefined, errors: string[]): ConfigFile {
  const path = named ?? defaultFile
  try {
    const values: unknown = JSON.parse(readFileSync(path, 'utf8'))
    if (isRecord(values)) return { path, isFound: true, values }
    errors.push(`${path}: must contain one JSON object`)
  } catch (error) {
    const isMissing = error instanceof Error && 'code' in error && error.code === 'ENOENT'
    if (!isMissing || named !== undefined) errors.push(`${path}: ${error instanceof Error ? error.message : error}`)
  }
  return { path, isFound: false, values: {} }
}

function splitList(value: unknown): unknown {
  return typeof value === 'string' ? value.split(',').flatMap((part) => part.trim() || []) : value
}

/** `masterUrl` → `INNKEEPER_MASTER_URL`. */
function getVariable(name: string): string {
  return `INNKEEPER_${name.replace(/[A-Z]/g, (capital) => `_${capital}`).toUpperCase()}`
}

function findSetting(variable: string): SettingName | undefined {
  return (Object.keys(settings) as SettingName[]).find((name) => getVariable(name) === variable)
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
