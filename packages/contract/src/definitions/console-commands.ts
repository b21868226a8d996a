import { getText, isConcealed, isSecretName, type Variables } from './variables.ts'

/** Replacement for a secret. */
export const mask = '***'

/** Commands whose arguments are passwords. */
const passwordCommands = new Set(['login', 'register', 'auth', 'authme'])

/** Longer commands are truncated. */
const maxCommandLength = 1_000

/**
 * The console line that records a command, without the daemon's prefix: `mara> say hello`. `command` must be a single
 * line, truncated and with masked secrets.
 */
export function formatCommandRecord(author: string, command: string): string {
  return `${author}> ${shorten(command, maxCommandLength)}`
}

/** Parses a console line without the daemon's prefix into user and command; undefined for any other line. */
export function parseCommandRecord(text: string): { readonly author: string; readonly command: string } | undefined {
  const at = text.indexOf('> ')
  const author = text.slice(0, Math.max(0, at))
  return at < 1 || /\s/.test(author) ? undefined : { author, command: text.slice(at + 2) }
}

/** Converts to one line and truncates to the given length with `…`. */
export function shorten(text: string, length: number): string {
  const line = [...text.replace(/[\x00-\x1f\x7f-\x9f\u2028\u2029]+/g, ' ').trim()]
  return line.length > length ? `${line.slice(0, length - 1).join('')}…` : line.join('')
}

/**
 * Masks secrets in a console command for display to others: values of variables, see `maskValues`, and the
 * argument after a word that looks like the name of a secret (`rcon_password …`, `token=…`), up to the next command
 * after `;`.
 */
export function maskSecrets(command: string, variables: Variables = {}): string {
  return maskValues(command, variables).split(';').map(maskArguments).join(';')
}

/** Shorter values that users may not see are left in running text: they may be parts of other words. */
const leastMasked = 6

/** Masks the values of variables that are secrets, or that the users of the server may not see. */
export function maskValues(text: string, variables: Variables): string {
  return Object.entries(variables)
    .filter(([name, variable]) => isConcealed(name, variable))
    .map(([name, { value }]) => ({ name, value: getText(value) }))
    .filter(({ name, value }) => value !== '' && (isSecretName(name) || value.length >= leastMasked))
    .toSorted((a, b) => b.value.length - a.value.length)
    .reduce((masked, { value }) => masked.replaceAll(value, mask), text)
}

function maskArguments(command: string): string {
  const words = command.split(/(\s+)/)
  for (const [at, word] of words.entries()) {
    const equals = word.search(/[=:]/)
    const name = equals < 0 ? word : word.slice(0, equals)
    if (!isSecretName(name) && !passwordCommands.has(name.replace(/^\//, '').toLowerCase())) continue
    const isAssigned = equals >= 0 && equals < word.length - 1
    if (isAssigned) {
      words[at] = word.slice(0, equals + 1) + mask
      continue
    }
    const hasMore = words.slice(at + 1).some((rest) => rest.trim() !== '')
    return words.slice(0, at + 1).join('') + (hasMore ? ` ${mask}` : '')
  }
  return words.join('')
}
