import { hasScope } from '@innkeeper/contract/api/permissions'
import { validationError } from '@innkeeper/contract/definitions/validate'
import { Refusal } from '@innkeeper/contract/errors/refusals'
import type { PanelConfig } from '@innkeeper/contract/settings/panel'
import {
  type Setting,
  type SettingKey,
  type SettingValues,
  settingKeys,
  settings as table,
} from '@innkeeper/contract/settings/settings'
import { builtInTheme } from '@innkeeper/contract/theme/names'
import type { Logger } from 'pino'
import { type AuditContext, auditedTransaction } from '../access/audit-context.ts'
import type { PrincipalWithScope } from '../access/principal.ts'
import { lock, upsert } from '../database/rows.ts'
import type { Database, Transaction } from '../database/schema.ts'
import { requireCurrent } from '../database/versions.ts'

/** How long a panel may use an outdated value. */
export const settingsCacheMs = 1_000

const productName = 'Innkeeper'

interface Deps {
  readonly db: Database
  /** Values from the environment, which override stored ones. */
  readonly masterUrl: string | undefined
  readonly templateIndexUrl?: string | undefined
  readonly log: Logger
  readonly now: () => number
}

export interface TemplateIndex {
  readonly url: URL
  readonly mayBePrivate: boolean
}

/** Settings of the panel. */
export interface SettingsService {
  /**
   * Current values of all settings, at most {@link settingsCacheMs} old. Pass the transaction when inside one: there
   * may be no other connection.
   */
  current(within?: Database): Promise<SettingValues>
  /** The configured name of the product. */
  companyName(): Promise<string>
  /** The URL of the panel; `undefined` when it is not configured. */
  masterUrl(within?: Database): Promise<string | undefined>
  /** Where further templates are listed, if anywhere. Only an address from the environment may be private. */
  templateIndex(): Promise<TemplateIndex | undefined>
  /**
   * The last known master URL, also during a database outage. Reading it refreshes the cache in the background when it
   * is outdated.
   */
  lastMasterUrl(): string | undefined
  list(principal: PrincipalWithScope<'panel.settings'>): Promise<Record<SettingKey, Setting>>
  get(principal: PrincipalWithScope<'panel.settings'>, key: SettingKey): Promise<Setting>
  /** Validates and stores one value. */
  put(
    principal: PrincipalWithScope<'panel.settings'>,
    key: SettingKey,
    value: unknown,
    audit: AuditContext,
  ): Promise<void>
  /**
   * Stores several values atomically; empty text resets one. ErrStaleVersion when the settings have changed since
   * `seen`.
   */
  store(
    principal: PrincipalWithScope<'panel.settings'>,
    values: Partial<SettingValues>,
    audit: AuditContext,
    expectedVersion?: string,
  ): Promise<void>
  /** Enables or disables registration during setup. */
  storeRegistration(transaction: Transaction): Promise<void>
}

/** Settings are rows by key, read together and cached. */
export function settingsService({ db, masterUrl, templateIndexUrl, log, now }: Deps): SettingsService {
  let cached: ReadSettings | undefined
  let reading: Promise<ReadSettings> | undefined
  /** The last values read, of any age. */
  let last: SettingValues | undefined
  let changes = 0

  async function read(on: Database): Promise<ReadSettings> {
    const before = changes
    const fresh = await readSettings(on, now())
    // Values read before our own change are outdated.
    if (before === changes) {
      cached = fresh
      last = fresh.values
    }
    return fresh
  }

  async function recent(within?: Database): Promise<ReadSettings> {
    const at = now()
    if (cached && at >= cached.readAt && at - cached.readAt < settingsCacheMs) return cached
    if (within) return read(within)
    reading ??= read(db).finally(() => {
      reading = undefined
    })
    return reading
  }

  const fixed: Partial<Record<SettingKey, string | undefined>> = {
    'panel.settings.masterUrl': masterUrl,
    'panel.settings.templateIndex': templateIndexUrl && withoutCredentials(templateIndexUrl),
  }

  /** Invalidates the cache. */
  function forget(): void {
    changes++
    cached = undefined
    reading = undefined
  }

  function listIn(found: ReadSettings, principal: PrincipalWithScope<'panel.settings'>) {
    const views = settingKeys.map((key) => [key, settingView(found, key, principal, fixed[key])])
    return Object.fromEntries(views) as Record<SettingKey, Setting>
  }

  const service: SettingsService = {
    current: async (within) => (await recent(within)).values,
    companyName: async () => (await service.current())['panel.settings.companyName'] || productName,
    masterUrl: async (within) =>
      masterUrl ?? ((await service.current(within))['panel.settings.masterUrl'] || undefined),
    async templateIndex() {
      if (templateIndexUrl !== undefined) return { url: new URL(templateIndexUrl), mayBePrivate: true }
      const stored = (await service.current())['panel.settings.templateIndex']
      return stored === '' ? undefined : { url: new URL(stored), mayBePrivate: false }
    },
    lastMasterUrl() {
      if (masterUrl !== undefined) return masterUrl
      recent().catch((error: unknown) => log.debug({ err: error }, 'the settings could not be refreshed'))
      return last?.['panel.settings.masterUrl'] || undefined
    },
    get: async (principal, key) => settingView(await recent(), key, principal, fixed[key]),
    list: async (principal) => listIn(await recent(), principal),

    async put(principal, key, value, audit) {
      const parsed = table[key].schema.safeParse(value, { reportInput: true })
      if (!parsed.success) {
        const { code, metadata } = validationError(parsed.error)
        throw new Refusal(code === 'ErrInvalidJson' ? 'ErrFieldInvalid' : code, { ...metadata, field: key })
      }
      await service.store(principal, { [key]: parsed.data }, audit)
    },

    async store(principal, values, audit, expectedVersion) {
      requireMayWrite(principal, values)
      await auditedTransaction(audit, db, async (transaction) => {
        await lock(transaction, 'settings')
        requireCurrent(expectedVersion, listIn(await read(transaction), principal))
        await writeSettings(transaction, values)
      })
      forget()
      await recent()
    },

    async storeRegistration(transaction) {
      const key: SettingKey = 'panel.registrationEnabled'
      await upsert(transaction, 'settings', ['key'], { key, value: 'true' })
      forget()
    },
  }
  return service
}

/** The settings as they were read. */
interface ReadSettings {
  readonly values: SettingValues
  /** Keys of those that are stored. */
  readonly stored: ReadonlySet<string>
  readonly readAt: number
}

async function readSettings(db: Database, readAt: number): Promise<ReadSettings> {
  const rows = await db.selectFrom('settings').select(['key', 'value']).where('key', 'in', settingKeys).execute()
  const found = new Map(rows.map((row) => [row.key, row.value]))
  const values = Object.fromEntries(settingKeys.map((key) => [key, parseStored(key, found.get(key))]))
  return { values: values as unknown as SettingValues, stored: new Set(found.keys()), readAt }
}

/** Empty text resets a setting. */
async function writeSettings(transaction: Transaction, values: Partial<SettingValues>): Promise<void> {
  for (const [key, value] of Object.entries(values)) {
    if (value === undefined) continue
    if (value === '') await transaction.deleteFrom('settings').where('key', '=', key).execute()
    else await upsert(transaction, 'settings', ['key'], { key, value: String(value) })
  }
}

/** A setting as the principal may see it. `fixed` is its value from the environment. */
function settingView(
  { values, stored }: ReadSettings,
  key: SettingKey,
  { scopes }: PrincipalWithScope<'panel.settings'>,
  fixed: string | undefined,
): Setting {
  if (fixed !== undefined) return { value: fixed, isSet: true, isFixed: true }
  const { read } = table[key]
  const mayRead = read !== 'nobody' && hasScope(scopes, read)
  return { value: mayRead ? values[key] : '', isSet: stored.has(key), isFixed: false }
}

function requireMayWrite(principal: PrincipalWithScope<'panel.settings'>, values: Partial<SettingValues>): void {
  for (const key of settingKeys) {
    const { write: scope } = table[key]
    if (values[key] !== undefined && !hasScope(principal.scopes, scope)) throw new Refusal('ErrMissingScope', { scope })
  }
}

function withoutCredentials(text: string): string {
  const url = new URL(text)
  url.username = ''
  url.password = ''
  return url.href
}

/** Parses a stored text; an invalid one counts as not set. */
function parseStored(key: SettingKey, stored: string | undefined): SettingValues[SettingKey] {
  const { schema, default: unset } = table[key]
  return stored === undefined ? unset : (schema.safeParse(stored).data ?? unset)
}

interface ConfigDeps {
  readonly settings: SettingsService
  readonly themes: { names(): Promise<readonly string[]> }
  readonly version: string
  readonly setupNeeded: () => Promise<boolean>
  readonly isMailReady: () => Promise<boolean>
  readonly translationUrl: string | undefined
}

/** The public configuration. */
export function panelConfig({ settings, themes, version, translationUrl, setupNeeded, isMailReady }: ConfigDeps) {
  return async (): Promise<PanelConfig> => {
    const available = await themes.names()
    const { 'panel.settings.defaultTheme': defaultTheme, 'panel.registrationEnabled': registrationEnabled } =
      await settings.current()
    return {
      branding: { name: await settings.companyName() },
      themes: { active: available.find((theme) => theme === defaultTheme) ?? builtInTheme, available: [...available] },
      registrationEnabled,
      passwordResetEnabled: await isMailReady(),
      passkeyOrigin: await settings.masterUrl(),
      setupNeeded: await setupNeeded(),
      translationUrl,
      version,
    }
  }
}
