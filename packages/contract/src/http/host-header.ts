import { Refusal } from '../errors/refusals.ts'

/**
 * Rejects a request with several `Host` headers (RFC 9112, section 3.2), because a reverse proxy may use another one
 * than this server. `rawHeaders` alternates names and values, as in Node.js.
 * @throws Refusal ErrFieldInvalid
 */
export function requireOneHost(rawHeaders: readonly string[]): void {
  const hosts = rawHeaders.filter((name, at) => at % 2 === 0 && name.toLowerCase() === 'host')
  if (hosts.length > 1) throw new Refusal('ErrFieldInvalid', { field: 'Host' })
}
