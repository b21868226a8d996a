import { confirmEmailPage } from '@innkeeper/contract/accounts/account'
import { resetPage } from '@innkeeper/contract/accounts/password-reset'
import type { MailKind } from '@innkeeper/contract/alerts/mail'
import { onOneLine } from '@innkeeper/contract/errors/one-line'
import { defaultLanguage, getDirection, getTag, isolate, type Language } from '@innkeeper/contract/text/languages'
import { textsIn } from './texts.ts'

/** The data of each kind of mail, besides the company name. Names are display names, not IDs. */
export interface MailData {
  invite: Link & { readonly email: string; readonly by?: string; readonly server?: string }
  accountCreation: { readonly username: string }
  addedToServer: { readonly server: string; readonly serverId: string; readonly by?: string }
  removedFromServer: { readonly server: string }
  deletedServer: { readonly server: string }
  passwordChanged: Readonly<Record<never, never>>
  /** Sent to the previous address. */
  emailChanged: { readonly newEmail: string }
  /** Sent to the new address. */
  emailConfirm: Link & { readonly username: string }
  otpEnabled: Readonly<Record<never, never>>
  otpDisabled: Readonly<Record<never, never>>
  otpWrongCodes: Readonly<Record<never, never>>
  otpLocked: Readonly<Record<never, never>>
  passkeyAdded: { readonly passkey: string }
  passkeyRemoved: { readonly passkey: string }
  /** `server` is the name of the server if the client is limited to one. */
  oauthCreated: { readonly client: string; readonly server?: string }
  oauthDeleted: { readonly client: string; readonly server?: string }
  /** A client was used from a network that it had not been used from. */
  oauthNewNetwork: { readonly client: string; readonly address: string }
  sshKeyAdded: { readonly key: string }
  /** Names of removed credentials. */
  accessRemoved: { readonly keys?: string; readonly clients?: string }
  passwordReset: Link
}

/** A link and its expiry, ISO 8601. */
interface Link {
  readonly token: string
  readonly until: string
}

/** Data by name, as stored in the queue. */
export type MessageData = Readonly<Record<string, string | undefined>>

/** The sender name, and the base URL of links. */
export interface Sender {
  readonly company: string
  /** Without it there are no links. */
  readonly masterUrl: string | undefined
}

/** A rendered mail. */
export interface Message {
  readonly subject: string
  readonly text: string
  readonly html: string
}

/** Mails of the queue, and those that are sent immediately. */
export type MessageKind = MailKind | 'test' | 'alert'

/** Mails that are useless without their link; they require the master URL. */
const linkMails: readonly string[] = ['invite', 'passwordReset', 'emailConfirm'] satisfies readonly MailKind[]

export const isLinked = (kind: string): boolean => linkMails.includes(kind)

/** The path of each kind's button, below the master URL. */
const places: Readonly<Record<MessageKind, (facts: MessageData) => string>> = {
  // Compatible with other products of this family, whose pages read the query.
  invite: ({ token = '', email = '' }) => `/auth/invite?${new URLSearchParams({ token, email })}`,
  passwordReset: ({ token = '' }) => `${resetPage}#${new URLSearchParams({ token })}`,
  addedToServer: ({ serverId = '' }) => `/server/${encodeURIComponent(serverId)}`,
  accountCreation: () => '/auth/login',
  removedFromServer: () => '/server',
  deletedServer: () => '/server',
  passwordChanged: () => '/server',
  emailChanged: () => '/server',
  emailConfirm: ({ token = '' }) => `${confirmEmailPage}#${new URLSearchParams({ token })}`,
  otpEnabled: () => '/account',
  otpDisabled: () => '/account',
  otpWrongCodes: () => '/account',
  otpLocked: () => '/account',
  passkeyAdded: () => '/account',
  passkeyRemoved: () => '/account',
  oauthCreated: () => '/account',
  oauthDeleted: () => '/account',
  oauthNewNetwork: () => '/account',
  sshKeyAdded: () => '/account',
  accessRemoved: () => '/account',
  test: () => '/',
  alert: () => '/',
}

/** Renders a mail as text and HTML. Lines with missing data are omitted. */
export function renderMessage(
  kind: MessageKind,
  facts: MessageData,
  { company, masterUrl }: Sender,
  requestedLanguage: string = defaultLanguage,
): Message {
  const { language, ...texts } = textsIn(requestedLanguage)
  const kindTexts = texts.kinds[kind]
  if (!kindTexts) throw new Error(`There is no text for the mail '${kind}'.`)

  const availableData: MessageData = { by: company, ...facts, until: shownTime(facts.until, language), company }
  const inText = (line: string) => interpolate(line, availableData, (value) => isolate(value, language))
  const say = (line: string) => inText(line) ?? ''
  const link =
    kindTexts.action && masterUrl ? { label: kindTexts.action, url: masterUrl + places[kind](facts) } : undefined
  const labelled = link && interpolate(texts.labelled, { action: link.label })
  return {
    subject: say(kindTexts.subject),
    text: [
      ...kindTexts.lines.flatMap((line) => inText(line) ?? []),
      ...(link ? [`${labelled}\n${link.url}`] : []),
      `-- \n${say(texts.footer)}`,
    ].join('\n\n'),
    html: page({
      company,
      language,
      lines: kindTexts.lines.flatMap((line) => interpolateHtml(line, availableData) ?? []),
      link,
      linkHint: texts.link,
      footer: interpolateHtml(texts.footer, availableData) ?? '',
    }),
  }
}

/** Replaces `{name}` by the data, on one line; `undefined` when a value is missing. */
function interpolate(line: string, known: MessageData, format = (value: string) => value): string | undefined {
  let isWhole = true
  const text = line.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = Object.hasOwn(known, name) ? known[name] : undefined
    if (value === undefined || value === '') isWhole = false
    return format(onOneLine(value ?? ''))
  })
  return isWhole ? text : undefined
}

/** Like `interpolate`, for HTML. Names are isolated for bidirectional text. */
function interpolateHtml(line: string, known: MessageData): string | undefined {
  return interpolate(escaped(line), known, (value) => `<bdi>${escaped(value)}</bdi>`)
}

/** Formats a time for a language. The reader's time zone is unknown, so it is UTC, which is displayed. */
function shownTime(time: string | undefined, language: Language): string | undefined {
  const at = Date.parse(time ?? '')
  if (Number.isNaN(at)) return undefined
  const parts = { day: 'numeric', month: 'long', year: 'numeric', hour: 'numeric', minute: '2-digit' } as const
  const utc = { timeZone: 'UTC', calendar: 'gregory' } as const
  return `${new Intl.DateTimeFormat(getTag(language), { ...parts, ...utc }).format(at)} UTC`
}

/** Lines and footer are already HTML. */
interface Page {
  readonly company: string
  readonly language: Language
  readonly lines: readonly string[]
  readonly link: { readonly label: string; readonly url: string } | undefined
  readonly linkHint: string
  readonly footer: string
}

/** Simple HTML that all mail programs display: no style sheet, no images, no external resources. */
function page({ company, language, lines, link, linkHint, footer }: Page): string {
  const written = `lang="${getTag(language)}" dir="${getDirection(language)}"`
  const paragraph = (inside: string, style = '') => `<p style="margin:0 0 16px;${style}">${inside}</p>`
  const small = 'font-size:13px;color:#5c6670'
  const button =
    'display:inline-block;padding:10px 18px;border-radius:6px;background:#1f6f8b;color:#ffffff;text-decoration:none'
  const linked = link
    ? [
        paragraph(`<a href="${escaped(link.url)}" style="${button}">${escaped(link.label)}</a>`),
        paragraph(
          `${escaped(linkHint)}<br><span dir="ltr">${escaped(link.url)}</span>`,
          `${small};word-break:break-all`,
        ),
      ]
    : []
  return [
    '<!doctype html>',
    `<html ${written}>`,
    '<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"></head>',
    '<body style="margin:0;padding:24px;background:#f4f6f8">',
    // Some mail programs display only the content of the body, so language and direction are set here.
    `<div ${written} style="max-width:560px;margin:0 auto;padding:24px;background:#ffffff;border-radius:8px;` +
      'font:16px/1.5 system-ui,-apple-system,Segoe UI,Roboto,Arial,sans-serif;color:#1b2127">',
    paragraph(`<strong>${escaped(onOneLine(company))}</strong>`),
    ...lines.map((line) => paragraph(line)),
    ...linked,
    paragraph(footer, `${small};margin:24px 0 0`),
    '</div></body></html>',
  ].join('\n')
}

function escaped(text: string): string {
  const marks: Readonly<Record<string, string>> = {
    '&': '&amp;',
    '<': '&lt;',
    '>': '&gt;',
    '"': '&quot;',
    "'": '&#39;',
  }
  return text.replace(/[&<>"']/g, (mark) => marks[mark] ?? mark)
}
