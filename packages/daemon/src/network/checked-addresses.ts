import { lookup } from 'node:dns/promises'
import { isIP, isIPv6, type LookupFunction } from 'node:net'
import { hostAndPort, isPublicAddress } from '@innkeeper/contract/http/public-address'
import { buildConnector } from 'undici'
import { abortable } from '../concurrency/timeout.ts'
import { FetchError } from './fetch-error.ts'

interface Deps {
  /** Allowed non-public `host:port`. */
  readonly allow: readonly string[]
  /** URLs whose host and port are allowed. */
  readonly trusted?: readonly URL[]
  readonly resolve?: ((host: string) => Promise<readonly string[]>) | undefined
}

/** Resolves the host of a URL and checks that connections to all of its addresses are allowed. */
export type AddressCheck = (url: URL, deadline: AbortSignal) => Promise<readonly string[]>

export function addressCheck({ allow, trusted = [], resolve = resolveBySystem }: Deps): AddressCheck {
  const urls = [...allow.map((entry) => new URL(`http://${entry}`)), ...trusted]
  const allowed = new Set(urls.map((url) => hostAndPort(url)))

  return async (url, deadline) => {
    if (url.protocol !== 'http:' && url.protocol !== 'https:') {
      throw new FetchError('forbidden', `Only http and https URLs can be fetched, not ${url.protocol}`)
    }
    const host = url.hostname.replace(/^\[|\]$/g, '')
    // DNS lookups cannot be aborted.
    const addresses = isIP(host) ? [host] : await abortable(resolve(host), deadline)
    if (addresses.length === 0) throw new FetchError('unreachable', `${url.hostname} has no address`)
    const isAllowed = (address: string) => isPublicAddress(address) || allowed.has(hostAndPort(url, address))
    if (!allowed.has(hostAndPort(url)) && !addresses.every(isAllowed)) {
      throw new FetchError(
        'forbidden',
        `${hostAndPort(url)} is not on the public internet. An administrator can allow it with INNKEEPER_DOWNLOAD_ALLOW`,
      )
    }
    return addresses
  }
}

/** Connects to checked addresses only, whatever the name resolves to by then. */
export function createConnector(addresses: readonly string[], timeout: number): buildConnector.connector {
  const answers = addresses.map((address) => ({ address, family: isIPv6(address) ? 6 : 4 }))
  const pinned: LookupFunction = (_host, options, give) => {
    const [first] = answers
    if (options.all) give(null, answers)
    else give(null, first?.address ?? '', first?.family)
  }
  const connect = buildConnector({ lookup: pinned, timeout, allowH2: false })
  return (target, done) => {
    connect(target, (...[error, socket]: buildConnector.CallbackArgs) => {
      if (error) return done(error, null)
      // IP addresses are connected to without `lookup`.
      if (!addresses.some((address) => isSame(address, socket.remoteAddress))) {
        socket.destroy()
        return done(new FetchError('forbidden', `${target.hostname} resolved to an address that was not checked`), null)
      }
      done(null, socket)
    })
  }
}

function isSame(address: string, connected: string | undefined): boolean {
  if (connected === undefined) return false
  return address === connected || (isIPv6(address) && isIPv6(connected) && canonical(address) === canonical(connected))
}

const canonical = (address: string): string => new URL(`http://[${address}]`).hostname

async function resolveBySystem(host: string): Promise<readonly string[]> {
  return (await lookup(host, { all: true })).map(({ address }) => address)
}
