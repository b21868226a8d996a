import { validUsername } from '@innkeeper/panel/import/import-names'

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
