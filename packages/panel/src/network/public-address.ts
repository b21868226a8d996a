import { lookup } from 'node:dns'
import { isIP, type LookupFunction } from 'node:net'
import { hostAndPort, isPublicAddress } from '@innkeeper/contract/http/public-address'

/** Allows connections to the public internet, and to some private `host:port`. */
export interface AddressRules {
  /** Whether the host of a URL is an allowed address, or a name that is resolved on connecting. */
  mayBeAllowed(url: URL): boolean
  /** Resolves the host of this URL to allowed addresses only; connections go to exactly these. */
  lookupFor(url: URL): LookupFunction
}

/** `allow` are `host:port`; `refuse` creates the error for a host that is not allowed. */
export function addressRules(refuse: (host: string) => Error, allow: readonly string[] = []): AddressRules {
  const allowed = new Set(allow.map((entry) => hostAndPort(new URL(`http://${entry}`))))
  const isAllowed = (url: URL, address: string) =>
    isPublicAddress(address) || allowed.has(hostAndPort(url)) || allowed.has(hostAndPort(url, address))

  return {
    // A literal IP address skips the lookup.
    mayBeAllowed(url) {
      const host = url.hostname.replace(/^\[|\]$/g, '')
      return isIP(host) === 0 || isAllowed(url, host)
    },

    lookupFor: (url) => (host, options, give) => {
      lookup(host, { ...options, all: true }, (error, addresses) => {
        if (error) return give(error, '')
        const [first] = addresses
        if (!first || !addresses.every(({ address }) => isAllowed(url, address))) return give(refuse(host), '')
        if (options.all) give(null, addresses)
        else give(null, first.address, first.family)
      })
    },
  }
}
