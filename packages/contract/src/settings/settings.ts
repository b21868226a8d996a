import { z } from 'zod/mini'
import { endpoint, ifMatch } from '../api/endpoint.ts'
import type { PanelScope } from '../api/permissions.ts'
import type { RefusalCode } from '../errors/refusals.ts'
import { Flag } from '../text/flag.ts'
import { Email } from '../text/names.ts'

const maxSettingLength = 1_000

/** Mail providers; `none` sends nothing. */
export const emailProviders = ['none', 'smtp', 'mailgun', 'mailjet'] as const
export type EmailProvider = (typeof emailProviders)[number]

function mustBe(code: RefusalCode, metadata: Record<string, unknown> = {}) {
  return { params: { code, ...metadata } }
}

/** A single line, so that no mail header can be injected. */
const SingleLine = z
  .pipe(
    z.string().check(z.maxLength(maxSettingLength)),
    z.transform((text) => text.trim()),
  )
  .check(z.refine((text) => !/[\x00-\x1f\x7f-\x9f\u2028\u2029]/.test(text), mustBe('ErrFieldInvalid')))

const Provider = z.pipe(
  z.pipe(
    z.pipe(
      z.string(),
      z.transform((text) => text.trim().toLowerCase() || 'none'),
    ),
    z.string().check(({ value, issues }) => {
      if ((emailProviders as readonly string[]).includes(value)) return
      const params = { code: 'ErrServiceInvalidProvider', service: 'email', provider: value.slice(0, 50) }
      issues.push({ code: 'custom', input: value, params })
    }),
  ),
  z.transform((text) => text as EmailProvider),
)

/** `https://panel.example.org`, without a trailing slash; a path, query or credentials are rejected. */
const MasterUrl = z.pipe(
  SingleLine.check(z.refine((text) => text === '' || isPlainUrl(text), mustBe('ErrFieldInvalid'))),
  z.transform((text) => URL.parse(text)?.origin ?? ''),
)

function isPlainUrl(text: string): boolean {
  const url = URL.parse(text)
  return url !== null && /^https?:$/.test(url.protocol) && url.href === `${url.origin}/`
}

/** The `http` or `https` address of an index of templates; credentials are only for the environment variable. */
const TemplateIndex = SingleLine.check(z.refine((text) => text === '' || isWebAddress(text), mustBe('ErrFieldInvalid')))

function isWebAddress(text: string): boolean {
  const url = URL.parse(text)
  return url !== null && /^https?:$/.test(url.protocol) && url.username === '' && url.password === ''
}

/** Who must have a second factor. */
export const secondFactorGroups = ['nobody', 'administrators', 'everyone'] as const
export type SecondFactorGroup = (typeof secondFactorGroups)[number]

/** `2027-01-31`, or empty. */
const Day = SingleLine.check(
  z.refine(
    (text) => text === '' || (/^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(text))),
    mustBe('ErrFieldInvalid'),
  ),
)

/** Where names of servers are written: RFC 2136 is spoken by BIND, Knot and others. */
export const dnsProviders = ['none', 'rfc2136', 'powerdns'] as const
export type DnsProviderName = (typeof dnsProviders)[number]

const DnsProvider = z.pipe(
  z.pipe(
    z.string(),
    z.transform((text) => text.trim().toLowerCase() || 'none'),
  ),
  z.enum(dnsProviders),
)

/** `play.example.org`, without a dot at the end. */
const DnsZone = z.pipe(
  SingleLine.check(
    z.refine((text) => text === '' || isDomain(text.replace(/\.$/, '')), mustBe('ErrFieldIsInvalidHost')),
  ),
  z.transform((text) => text.replace(/\.$/, '').toLowerCase()),
)
/** `192.0.2.53`, `ns.example.org:5353` or `[2001:db8::53]:53`. */
const DnsServer = SingleLine.check(
  z.refine((text) => text === '' || parseDnsServer(text) !== undefined, mustBe('ErrFieldIsInvalidHost')),
)
const DnsUrl = SingleLine.check(
  z.refine((text) => text === '' || (isWebAddress(text) && !/[?#]/.test(text)), mustBe('ErrFieldInvalid')),
)
const DnsKeyName = SingleLine.check(z.refine((text) => text === '' || isDomain(text), mustBe('ErrFieldInvalid')))
/** The secret of a TSIG key in Base64, with its algorithm in front unless that is hmac-sha256; or an API key. */
const DnsKey = SingleLine.check(z.refine((text) => /^[\w+/=:.-]*$/.test(text), mustBe('ErrFieldInvalid')))

function isDomain(text: string): boolean {
  return (
    text.length <= 200 &&
    /^(?:[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?\.)*[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/i.test(text)
  )
}

/** Host and port of a name server; `undefined` when it is neither a name nor an address. */
export function parseDnsServer(text: string): { readonly host: string; readonly port: number } | undefined {
  const shape =
    /^(?:\[(?<ipv6>[\da-f:.]+)\]|(?<name>[^:[\]\s/]+)|(?<bare>[\da-f]*:[\da-f]*:[\da-f:.]*))(?::(?<port>\d{1,5}))?$/i
  const { ipv6, name, bare, port = '53' } = shape.exec(text)?.groups ?? {}
  const host = ipv6 ?? name ?? bare ?? ''
  const isHost = ipv6 === undefined && bare === undefined ? isDomain(host) : URL.canParse(`http://[${host}]`)
  return isHost && Number(port) >= 1 && Number(port) <= 65_535 ? { host, port: Number(port) } : undefined
}

const CompanyName = SingleLine.check(z.refine((text) => text.length <= 100, mustBe('ErrFieldTooLarge', { max: 100 })))
const ThemeName = SingleLine.check(z.refine((text) => /^[\w .-]{0,100}$/.test(text), mustBe('ErrFieldInvalid')))
const Sender = SingleLine.check(
  z.refine((text) => text === '' || Email.safeParse(text).success, mustBe('ErrFieldNotEmail')),
)
const MailDomain = SingleLine.check(z.refine((text) => /^[\w.-]*$/.test(text), mustBe('ErrFieldIsInvalidHost')))

/**
 * A mail server: `mail.example.org`, with `:port` when it is not 587. In front of it, `smtps://` stands for TLS from the
 * first byte (as does port 465), and `smtp://` allows a password without TLS.
 */
export const SmtpHost = SingleLine.check(
  z.refine((text) => text === '' || parseSmtpHost(text) !== undefined, mustBe('ErrFieldIsInvalidHost')),
)

interface SettingRow<S extends z.ZodMiniType> {
  readonly schema: S
  readonly default: z.output<S>
  /** The scope to read it. `nobody`: a secret, whose value no response has. */
  readonly read: PanelScope | 'nobody'
  /** The scope to change it. */
  readonly write: PanelScope
}

/** A row of the table: ties the default to the schema. */
export const setting = <S extends z.ZodMiniType>(row: SettingRow<S>): SettingRow<S> => row

const scope = 'panel.settings'

/**
 * All settings of the panel by key. Empty text stores nothing. With the mail server and the URL in mail links one gets
 * access to every account, so only administrators change them.
 */
export const settings = {
  /** The name of the product in the app and in mails. */
  'panel.settings.companyName': setting({ schema: CompanyName, default: '', read: scope, write: scope }),
  /** The theme of users who have selected none. */
  'panel.settings.defaultTheme': setting({ schema: ThemeName, default: '', read: scope, write: scope }),
  /** The URL of the panel, for links in mails and alerts. */
  'panel.settings.masterUrl': setting({ schema: MasterUrl, default: '', read: scope, write: 'servers.admin' }),
  /** Whether anyone may create an account. */
  'panel.registrationEnabled': setting({ schema: Flag, default: false, read: scope, write: scope }),
  /** Who must have a second factor: a passkey, or codes of an authenticator. */
  'panel.secondFactor.required': setting({
    schema: z.enum(secondFactorGroups),
    default: 'nobody',
    read: scope,
    write: 'servers.admin',
  }),
  /** From the beginning of this day, in UTC; without one at once. Before it, users are only told. */
  'panel.secondFactor.from': setting({ schema: Day, default: '', read: scope, write: 'servers.admin' }),
  /** Further templates to import: a JSON index, or a `.tar.gz` of a repository. The panel sends requests there. */
  'panel.settings.templateIndex': setting({ schema: TemplateIndex, default: '', read: scope, write: 'servers.admin' }),
  'panel.email.provider': setting({ schema: Provider, default: 'none', read: scope, write: 'servers.admin' }),
  /** The sender address of mails. */
  'panel.email.from': setting({ schema: Sender, default: '', read: scope, write: 'servers.admin' }),
  /** Mailgun: the sending domain. Mailjet: the public key. */
  'panel.email.domain': setting({ schema: MailDomain, default: '', read: scope, write: 'servers.admin' }),
  /** SMTP only. */
  'panel.email.host': setting({ schema: SmtpHost, default: '', read: scope, write: 'servers.admin' }),
  /** Mailgun: the API key. Mailjet: the private key. */
  'panel.email.key': setting({ schema: SingleLine, default: '', read: 'nobody', write: 'servers.admin' }),
  /** SMTP only, as the password: empty for a mail server without a login. */
  'panel.email.username': setting({ schema: SingleLine, default: '', read: scope, write: 'servers.admin' }),
  'panel.email.password': setting({ schema: SingleLine, default: '', read: 'nobody', write: 'servers.admin' }),
  'panel.dns.provider': setting({ schema: DnsProvider, default: 'none', read: scope, write: 'servers.admin' }),
  /** The zone below which servers have names. */
  'panel.dns.zone': setting({ schema: DnsZone, default: '', read: scope, write: 'servers.admin' }),
  /** RFC 2136: the primary name server. */
  'panel.dns.server': setting({ schema: DnsServer, default: '', read: scope, write: 'servers.admin' }),
  /** PowerDNS: where its API is, `http://127.0.0.1:8081`. The panel sends requests there. */
  'panel.dns.url': setting({ schema: DnsUrl, default: '', read: scope, write: 'servers.admin' }),
  /** RFC 2136: the name of the TSIG key. */
  'panel.dns.keyName': setting({ schema: DnsKeyName, default: '', read: scope, write: 'servers.admin' }),
  'panel.dns.key': setting({ schema: DnsKey, default: '', read: 'nobody', write: 'servers.admin' }),
}

export type SettingKey = keyof typeof settings
export type SettingValues = { readonly [key in SettingKey]: z.output<(typeof settings)[key]['schema']> }
export const settingKeys = Object.keys(settings) as readonly SettingKey[]

type Schemas = { readonly [key in SettingKey]: (typeof settings)[key]['schema'] }
const schemas = Object.fromEntries(settingKeys.map((key) => [key, settings[key].schema])) as Schemas

/** Settings that can be written and not read. */
export const secretSettings = settingKeys.filter((key) => settings[key].read === 'nobody')

/** Settings that only administrators may change. */
export const adminSettings = settingKeys.filter((key) => settings[key].write === 'servers.admin')

/** Required settings of each provider; the UI shows these and the optional ones. */
export const emailFields: Readonly<
  Record<EmailProvider, { readonly needed: readonly SettingKey[]; readonly optional: readonly SettingKey[] }>
> = {
  none: { needed: [], optional: [] },
  smtp: {
    needed: ['panel.email.from', 'panel.email.host'],
    optional: ['panel.email.username', 'panel.email.password'],
  },
  mailgun: { needed: ['panel.email.from', 'panel.email.domain', 'panel.email.key'], optional: [] },
  mailjet: { needed: ['panel.email.from', 'panel.email.domain', 'panel.email.key'], optional: [] },
}

/** Required settings of each provider of names. */
export const dnsFields: Readonly<Record<DnsProviderName, readonly SettingKey[]>> = {
  none: [],
  rfc2136: ['panel.dns.zone', 'panel.dns.server', 'panel.dns.keyName', 'panel.dns.key'],
  powerdns: ['panel.dns.zone', 'panel.dns.url', 'panel.dns.key'],
}

const Key = z.pipe(
  z.string().check(z.refine((key): key is SettingKey => Object.hasOwn(settings, key), mustBe('ErrNotFound'))),
  z.transform((key) => key as SettingKey),
)

/** A setting in a response. */
export const Setting = z.object({
  /** Always empty for a secret. */
  value: z.union([z.string(), z.boolean()]),
  /** Whether a value is stored. */
  isSet: z.boolean(),
  /** An environment variable of the panel overrides it: a stored value has no effect. */
  isFixed: z.boolean(),
})
export type Setting = z.infer<typeof Setting>

const access = { scope } as const

/** Every setting by its key. Their version is in the `ETag` header. */
export const listSettings = endpoint('GET', '/api/settings', {
  access,
  response: z.record(z.enum(settingKeys), Setting),
})

export const getSetting = endpoint('GET', '/api/settings/:key', {
  access,
  params: z.object({ key: Key }),
  response: Setting,
})

/**
 * Text is converted to the type of the setting; empty text resets a setting, also a secret one. {@link adminSettings}
 * require an administrator.
 */
export const putSetting = endpoint('PUT', '/api/settings/:key', {
  access,
  audit: 'settings.edit',
  params: z.object({ key: Key }),
  body: z.object({ value: z.union([z.string(), z.boolean()]) }),
})

/**
 * Updates several settings atomically. Missing ones stay unchanged. {@link adminSettings} require an administrator.
 * With `If-Match` ErrStaleVersion.
 */
export const postSettings = endpoint('POST', '/api/settings', {
  access,
  audit: 'settings.edit',
  body: z.partial(z.strictObject(schemas)),
  headers: ifMatch,
})

/** When the last backup of the panel was made with `innkeeper backup`, also by its schedule. */
export const getLastBackup = endpoint('GET', '/api/backup', {
  access,
  response: z.object({
    /** ISO 8601; absent when there is no backup yet. */
    lastBackupAt: z.optional(z.string()),
  }),
})

/**
 * Sends a test mail with the saved settings and returns the response of the provider. Default recipient: the current
 * user.
 */
export const sendTestMail = endpoint('POST', '/api/settings/email/test', {
  access,
  audit: 'mail.test',
  body: z._default(z.object({ to: z.optional(Email) }), {}),
  response: z.object({
    delivered: z.boolean(),
    /** The response of the provider, or the connection error. */
    answer: z.string(),
  }),
})

/** Address of a mail server. `tls`: implicit, STARTTLS, or optional. */
export interface SmtpAddress {
  readonly host: string
  readonly port: number
  readonly tls: 'implicit' | 'starttls' | 'optional'
}

const smtpShape =
  /^(?:(?<scheme>smtps?):\/\/)?(?:\[(?<v6>[0-9a-f:.]+)\]|(?<host>[a-z0-9](?:[a-z0-9._-]*[a-z0-9])?))(?::(?<port>\d{1,5}))?\/?$/i

/** Parses the address of a mail server; `undefined` when it is not valid. */
export function parseSmtpHost(text: string): SmtpAddress | undefined {
  const part = smtpShape.exec(text)?.groups
  const host = part?.v6 ?? part?.host
  if (!part || host === undefined) return undefined
  const scheme = part.scheme?.toLowerCase()
  const port = part.port === undefined ? (scheme === 'smtps' ? 465 : 587) : Number(part.port)
  if (port < 1 || port > 65_535) return undefined
  const isImplicit = scheme === 'smtps' || (scheme === undefined && port === 465)
  return { host, port, tls: isImplicit ? 'implicit' : scheme === 'smtp' ? 'optional' : 'starttls' }
}
