import { validUsername } from '@innkeeper/panel/import/import-names'

/** How a server is stopped: by a console line, or `^C` as a signal. */
export function stopCommandOf(text: string): { readonly stop: string } | { readonly stopCode: number } {
  const stop = text.trim()
  return stop.toUpperCase() === '^C' ? { stopCode: 2 } : { stop }
}

/** How many seconds a server has to stop; there, 0 and nothing mean the default. */
export const stopTimeoutOf = (seconds: number | undefined): { readonly stopTimeout?: number } =>
  seconds !== undefined && seconds > 0 ? { stopTimeout: Math.ceil(seconds) } : {}

/** An address to log in with, for a user without one. */
export const emailFor = (username: string, domain: string): string =>
  `${
    validUsername(username)
      .toLowerCase()
      .replaceAll(/^[-_]+/g, '') || 'user'
  }@${domain}`
