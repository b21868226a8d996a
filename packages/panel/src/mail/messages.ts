import { confirmEmailPage } from '@innkeeper/contract/account'
import { defaultLanguage, directionOf, type Language, tagOf } from '@innkeeper/contract/languages'
import type { MailKind } from '@innkeeper/contract/mail'
import { resetPage } from '@innkeeper/contract/password-reset'
import { textsIn } from './texts.ts'

/** What each kind of mail tells, beside the name of the company. Names are as people know them, not ids. */
export interface MailData {
  invite: Link & { readonly email: string; readonly by?: string; readonly server?: string }
  accountCreation: { readonly username: string }
  addedToServer: { readonly server: string; readonly serverId: string; readonly by?: string }
  removedFromServer: { readonly server: string }
  deletedServer: { readonly server: string }
  passwordChanged: Readonly<Record<never, never>>
  /** For the address before the change. */
  emailChanged: { readonly newEmail: string }
  /** For the new address. */
  emailConfirm: Link & { readonly username: string }
  otpEnabled: Readonly<Record<never, never>>
  otpDisabled: Readonly<Record<never, never>>
  otpWrongCodes: Readonly<Record<never, never>>
  otpLocked: Readonly<Record<never, never>>
  /** `server` by name, when the client is for one. */
  oauthCreated: { readonly client: string; readonly server?: string }
  oauthDeleted: { readonly client: string; readonly server?: string }
  sshKeyAdded: { readonly key: string }
  /** Credentials that ended, by name. */
  accessRemoved: { readonly keys?: string; readonly clients?: string }
  passwordReset: Link
}

/** A link that is good until then, in ISO 8601. */
interface Link {
  readonly token: string
  readonly until: string
}

/** Facts by name, as they are kept in the queue. */
export type Facts = Readonly<Record<string, string | undefined>>

/** Where a mail comes from, and where its links lead. */
export interface Sender {
  readonly company: string
  /** Without it there are no links. */
  readonly masterUrl: string | undefined
}

/** A mail as it is written. */
export interface Message {
  readonly subject: string
  readonly text: string
  readonly html: string
}

/** What makes no sense without its link: such a mail needs the master URL. */
const linkMails: readonly string[] = ['invite', 'passwordReset', 'emailConfirm'] satisfies readonly MailKind[]

export const isLinked = (kind: string): boolean => linkMails.includes(kind)

/** Where the button of each kind leads, below the master URL. */
const places: Readonly<Record<MailKind | 'test', (facts: Facts) => string>> = {
  // As links of this family are: the page reads both from the query.
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
  oauthCreated: () => '/account',
  oauthDeleted: () => '/account',
  sshKeyAdded: () => '/account',
  accessRemoved: () => '/account',
  test: () => '/',
}

/** Writes a mail as text and as HTML. A line that tells what is not known is left out. */
export function write(
  kind: MailKind | 'test',
  facts: Facts,
  { company, masterUrl }: Sender,
  wanted: string = defaultLanguage,
): Message {
  const { language, ...texts } = textsIn(wanted)
  const own = texts.kinds[kind]
  if (!own) throw new Error(`There is no text for the mail '${kind}'.`)

  const availableData: Facts = { by: company, ...facts, until: shownTime(facts.until, language), company }
  const say = (line: string) => interpolate(line, availableData) ?? ''
  const link = own.action && masterUrl ? { label: own.action, url: masterUrl + places[kind](facts) } : undefined
  const labelled = link && interpolate(texts.labelled, { action: link.label })
  return {
    subject: say(own.subject),
    text: [
      ...own.lines.flatMap((line) => interpolate(line, availableData) ?? []),
      ...(link ? [`${labelled}\n${link.url}`] : []),
      `-- \n${say(texts.footer)}`,
    ].join('\n\n'),
    html: page({
      company,
      language,
      lines: own.lines.flatMap((line) => interpolateHtml(line, availableData) ?? []),
      link,
      linkHint: texts.link,
      footer: interpolateHtml(texts.footer, availableData) ?? '',
    }),
  }
}

/** Fills `{name}` with what is known, on one line; `undefined` when something is not. */
function interpolate(line: string, known: Facts, dressed = (value: string) => value): string | undefined {
  let isWhole = true
  const text = line.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = Object.hasOwn(known, name) ? known[name] : undefined
    if (value === undefined || value === '') isWhole = false
    return dressed(onOneLine(value ?? ''))
  })
  return isWhole ? text : undefined
}

/** The same as HTML. A name is isolated: written the other way, it does not turn the words around it. */
function interpolateHtml(line: string, known: Facts): string | undefined {
  return interpolate(escaped(line), known, (value) => `<bdi>${escaped(value)}</bdi>`)
}

/** A time as a language writes it. Where the reader is we do not know, so it is UTC, and says so. */
function shownTime(time: string | undefined, language: Language): string | undefined {
  const at = Date.parse(time ?? '')
  if (Number.isNaN(at)) return undefined
  const parts = { day: 'numeric', month: 'long', year: 'numeric', hour: 'numeric', minute: '2-digit' } as const
  const utc = { timeZone: 'UTC', calendar: 'gregory' } as const
  return `${new Intl.DateTimeFormat(tagOf(language), { ...parts, ...utc }).format(at)} UTC`
}

/** Without anything that could begin another line, of a header or of the text. */
export function onOneLine(text: string): string {
  return text.replace(/[\x00-\x1f\x7f-\x9f\u2028\u2029]+/g, ' ').trim()
}

/** Lines and footer are HTML already. */
interface Page {
  readonly company: string
  readonly language: Language
  readonly lines: readonly string[]
  readonly link: { readonly label: string; readonly url: string } | undefined
  readonly linkHint: string
  readonly footer: string
}

/** Plain enough for every mail program: no style sheet, no picture, nothing from elsewhere. */
function page({ company, language, lines, link, linkHint, footer }: Page): string {
  const written = `lang="${tagOf(language)}" dir="${directionOf(language)}"`
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
    // Mail programs that show the body in a page of their own keep what stands here, and not what stands above.
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
