import { Refusal } from './refusals.ts'

/**
 * Refuses a request with several `Host` headers (RFC 9112, section 3.2): a proxy in front may believe another one than
 * we do. `rawHeaders` are names and values in turn, as Node.js has them.
 * @throws Refusal ErrFieldInvalid
 */
export function requireOneHost(rawHeaders: readonly string[]): void {
  const hosts = rawHeaders.filter((name, at) => at % 2 === 0 && name.toLowerCase() === 'host')
  if (hosts.length > 1) throw new Refusal('ErrFieldInvalid', { field: 'Host' })
}
