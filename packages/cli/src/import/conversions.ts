import { defaultLanguage, isLanguage, type Language, languages } from '@innkeeper/contract/text/languages'
import { validUsername } from '@innkeeper/panel/import/import-names'

/** Values of other panels in the form that they have here. */

/** How a server is stopped: by a console line, or `^C` as a signal. */
export function parseStopCommand(text: string): { readonly stop: string } | { readonly stopCode: number } {
  const stop = text.trim()
  return stop.toUpperCase() === '^C' ? { stopCode: 2 } : { stop }
}

/** How many seconds a server has to stop; there, 0 and nothing mean the default. */
export const getStopTimeout = (seconds: number | undefined): { readonly stopTimeout?: number } =>
  seconds !== undefined && seconds > 0 ? { stopTimeout: Math.ceil(seconds) } : {}

/**
 * An address to log in with, for a user without one. Those of several users differ, because users are recognized by
 * them: `taken` are addresses of others, to which it is added.
 */
export function emailFor(username: string, domain: string, taken: Set<string>): string {
  const name =
    validUsername(username)
      .toLowerCase()
      .replaceAll(/^[-_]+/g, '') || 'user'
  let email = `${name}@${domain}`
  for (let number = 2; taken.has(email); number++) email = `${name}-${number}@${domain}`
  taken.add(email)
  return email
}

/**
 * The language for one of another panel, as in `de`, `pt-BR` or `de_DE`. English is the default of other panels, and so
 * no choice of the user: they get the language of their browser.
 */
export function findLanguage(text: string, note: (text: string) => void): Language | undefined {
  const [code = '', region = ''] = text.trim().split(/[-_]/)
  const [lower, upper] = [code.toLowerCase(), region.toUpperCase()]
  if (lower === '' || lower === 'en') return undefined
  const candidates = [`${lower}_${upper}`, `${lower}_${lower.toUpperCase()}`]
  const found = candidates.find(isLanguage) ?? languages.find((language) => language.startsWith(`${lower}_`))
  if (found === undefined || found === defaultLanguage) note(`the language ${text} does not exist here`)
  return found
}

const tlsParametersOf: Readonly<Record<string, string>> = {
  require: '?uselibpqcompat=true&sslmode=require',
  'verify-ca': '?sslmode=verify-full',
  'verify-full': '?sslmode=verify-full',
}

/** The query of the URL of a PostgreSQL server for an `sslmode` of libpq; empty unless it needs TLS. */
export const tlsParameters = (sslmode: string | undefined): string =>
  sslmode !== undefined && Object.hasOwn(tlsParametersOf, sslmode) ? (tlsParametersOf[sslmode] ?? '') : ''

/** Whether a text is a secret of a second factor in Base32. */
export const isOtpSecret = (text: string): boolean => /^[A-Z2-7]{16,128}$/.test(text)

/** The definition of a server without template: its address as variables, and nothing to install. */
export const getBaseDefinition = (type: string, display: string, port: number) => ({
  type,
  display,
  data: {
    ip: { type: 'string', display: 'IP address', value: '0.0.0.0', userEdit: false },
    port: { type: 'integer', display: 'Port', value: port, userEdit: false },
  },
  install: [],
})
