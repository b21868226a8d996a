import { readFileSync } from 'node:fs'
import type { MailKind } from '@innkeeper/contract/mail'
import { resetPage } from '@innkeeper/contract/password-reset'
import { z } from 'zod'

/** What each kind of mail tells, beside the name of the company. Names are as people know them, not ids. */
export interface MailFacts {
  invite: { readonly email: string; readonly token: string; readonly by?: string; readonly server?: string }
  accountCreation: { readonly username: string }
  addedToServer: { readonly server: string; readonly serverId: string; readonly by?: string }
  removedFromServer: { readonly server: string }
  deletedServer: { readonly server: string }
  passwordChanged: Readonly<Record<never, never>>
  /** For the address before the change. */
  emailChanged: { readonly newEmail: string }
  otpEnabled: Readonly<Record<never, never>>
  otpDisabled: Readonly<Record<never, never>>
  /** `server` by name, when the client is for one. */
  oauthCreated: { readonly client: string; readonly server?: string }
  oauthDeleted: { readonly client: string; readonly server?: string }
  passwordReset: { readonly token: string }
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
export const linkedKinds: readonly MailKind[] = ['invite', 'passwordReset']

const Texts = z.object({
  footer: z.string(),
  link: z.string(),
  kinds: z.record(
    z.string(),
    z.object({ subject: z.string(), lines: z.array(z.string()).min(1), action: z.string().optional() }),
  ),
})

/** The language of those who chose none. */
export const defaultLanguage = 'en_US'
const languages: ReadonlyMap<string, z.infer<typeof Texts>> = new Map([[defaultLanguage, load(defaultLanguage)]])

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
  otpEnabled: () => '/account',
  otpDisabled: () => '/account',
  oauthCreated: () => '/account',
  oauthDeleted: () => '/account',
  test: () => '/',
}

/** Writes a mail as text and as HTML. A line that tells what is not known is left out. */
export function write(
  kind: MailKind | 'test',
  facts: Facts,
  { company, masterUrl }: Sender,
  language = defaultLanguage,
): Message {
  const texts = languages.get(language) ?? languages.get(defaultLanguage)
  const own = texts?.kinds[kind]
  if (!texts || !own) throw new Error(`There is no text for the mail '${kind}'.`)

  const known: Facts = { by: company, ...facts, company }
  const say = (line: string) => filled(line, known) ?? ''
  const lines = own.lines.flatMap((line) => filled(line, known) ?? [])
  const link = own.action && masterUrl ? { label: say(own.action), url: masterUrl + places[kind](facts) } : undefined
  const footer = say(texts.footer)
  return {
    subject: say(own.subject),
    text: [...lines, ...(link ? [`${link.label}:\n${link.url}`] : []), `-- \n${footer}`].join('\n\n'),
    html: page({ company, language, lines, link, linkHint: texts.link, footer }),
  }
}

/** Fills `{name}` with what is known, on one line; `undefined` when something is not. */
function filled(line: string, known: Facts): string | undefined {
  let isWhole = true
  const text = line.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = Object.hasOwn(known, name) ? known[name] : undefined
    if (value === undefined || value === '') isWhole = false
    return onOneLine(value ?? '')
  })
  return isWhole ? text : undefined
}

/** Without anything that could begin another line, of a header or of the text. */
export function onOneLine(text: string): string {
  return text.replace(/[\x00-\x1f\x7f-\x9f\u2028\u2029]+/g, ' ').trim()
}

interface Page {
  readonly company: string
  readonly language: string
  readonly lines: readonly string[]
  readonly link: { readonly label: string; readonly url: string } | undefined
  readonly linkHint: string
  readonly footer: string
}

/** Plain enough for every mail program: no style sheet, no picture, nothing from elsewhere. */
function page({ company, language, lines, link, linkHint, footer }: Page): string {
  const paragraph = (inside: string, style = '') => `<p style="margin:0 0 16px;${style}">${inside}</p>`
  const small = 'font-size:13px;color:#5c6670'
  const button =
    'display:inline-block;padding:10px 18px;border-radius:6px;background:#1f6f8b;color:#ffffff;text-decoration:none'
  const linked = link
    ? [
        paragraph(`<a href="${escaped(link.url)}" style="${button}">${escaped(link.label)}</a>`),
        paragraph(`${escaped(linkHint)}<br>${escaped(link.url)}`, `${small};word-break:break-all`),
      ]
    : []
  return [
    '<!doctype html>',
    `<html lang="${escaped(language.replace('_', '-'))}">`,
    '<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"></head>',
    '<body style="margin:0;padding:24px;background:#f4f6f8">',
    '<div style="max-width:560px;margin:0 auto;padding:24px;background:#ffffff;border-radius:8px;' +
      'font:16px/1.5 system-ui,-apple-system,Segoe UI,Roboto,Arial,sans-serif;color:#1b2127">',
    paragraph(`<strong>${escaped(onOneLine(company))}</strong>`),
    ...lines.map((line) => paragraph(escaped(line))),
    ...linked,
    paragraph(escaped(footer), `${small};margin:24px 0 0`),
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

function load(language: string): z.infer<typeof Texts> {
  return Texts.parse(JSON.parse(readFileSync(new URL(`./texts/${language}.json`, import.meta.url), 'utf8')))
}
