import { Refusal } from '@innkeeper/contract/refusals'
import { textOf, type Variables } from '@innkeeper/contract/variables'

/** Where a server listens, as its variables `ip` and `port` say. */
export interface ListenAddress {
  readonly ip: string
  readonly port: number
}

const anywhere = '0.0.0.0'
const portMax = 65_535

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

const own = (data: Variables, name: string) => (Object.hasOwn(data, name) ? data[name]?.value : undefined)
