import { Resolver } from 'node:dns/promises'
import { isIP } from 'node:net'

/** The IP addresses of a host; none when it has none, or the resolver does not respond. */
export async function resolveAddresses(host: string): Promise<string[]> {
  if (isIP(host) !== 0) return [host]
  const resolver = new Resolver({ timeout: 5_000, tries: 2 })
  const found = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)])
  return found.flatMap((one) => (one.status === 'fulfilled' ? one.value : []))
}
