import { Refusal } from './refusals.ts'
import { portMax, textOf, type Variables } from './variables.ts'

/** Where a server listens, as its variables `ip` and `port` say. */
export interface ListenAddress {
  readonly ip: string
  readonly port: number
}

const anywhere = '0.0.0.0'

/**
 * Reads the address out of a definition's variables; none stands for every address, and for port 0.
 * @throws Refusal for a port that is no number from 0 to 65535.
 */
export function addressIn(data: Variables): ListenAddress {
  const ip = textOf(own(data, 'ip')).trim()
  const text = textOf(own(data, 'port')).trim()
  const port = text === '' ? 0 : /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN
  if (!(port <= portMax)) throw new Refusal('ErrFieldNotBetween', { field: 'port', min: 0, max: portMax })
  if (ip.length > 255) throw new Refusal('ErrFieldTooLarge', { field: 'ip', max: 255 })
  return { ip: ip || anywhere, port }
}

/** Where the definition is saved already: an address that cannot be read is none, not refused. */
export function readableAddressIn(data: Variables): ListenAddress {
  try {
    return addressIn(data)
  } catch (error) {
    if (error instanceof Refusal) return addressIn({})
    throw error
  }
}

/** Whether two programs that listen there on one port are in each other's way. */
export function doAddressesMeet(one: string, other: string): boolean {
  return isEverywhere(one) || isEverywhere(other) || one.toLowerCase() === other.toLowerCase()
}

/** What is no address, `{ip}` or a name, is taken for every one: better warned once too often. */
const isEverywhere = (address: string): boolean => !/^[\d.]+$|:/.test(address) || /^(0\.0\.0\.0|::)$/.test(address)

const own = (data: Variables, name: string) => (Object.hasOwn(data, name) ? data[name]?.value : undefined)
