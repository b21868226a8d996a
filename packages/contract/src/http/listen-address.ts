import { getText, portMax, type Variables } from '../definitions/variables.ts'
import { Refusal } from '../errors/refusals.ts'

/** The address on which a server listens, from its variables `ip` and `port`. */
export interface ListenAddress {
  readonly ip: string
  readonly port: number
}

const wildcardAddress = '0.0.0.0'

/**
 * Parses the address from a definition's variables. A missing IP is the wildcard address, a missing port is 0.
 * @throws Refusal when the port is not a number from 0 to 65535
 */
export function parseListenAddress(data: Variables): ListenAddress {
  const ip = getText(own(data, 'ip')).trim()
  const text = getText(own(data, 'port')).trim()
  const port = text === '' ? 0 : /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN
  if (!(port <= portMax)) throw new Refusal('ErrFieldNotBetween', { field: 'port', min: 0, max: portMax })
  if (ip.length > 255) throw new Refusal('ErrFieldTooLarge', { field: 'ip', max: 255 })
  return { ip: ip || wildcardAddress, port }
}

/** For definitions that are already saved: returns undefined for an invalid address instead of throwing. */
export function tryParseListenAddress(data: Variables): ListenAddress {
  try {
    return parseListenAddress(data)
  } catch (error) {
    if (error instanceof Refusal) return parseListenAddress({})
    throw error
  }
}

/** Whether two listeners on the same port would conflict. */
export function addressesOverlap(a: string, b: string): boolean {
  return isWildcard(a) || isWildcard(b) || a.toLowerCase() === b.toLowerCase()
}

/**
 * Anything that is not an IP address, `{ip}` or a host name, is treated as the wildcard address: a false conflict is
 * better than a missed one.
 */
const isWildcard = (address: string): boolean => !/^[\d.]+$|:/.test(address) || /^(0\.0\.0\.0|::)$/.test(address)

const own = (data: Variables, name: string) => (Object.hasOwn(data, name) ? data[name]?.value : undefined)
