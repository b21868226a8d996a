import { bracketed } from '../text/address.ts'

/** A published port of a container. */
export interface PortBinding {
  /** An address of the node; `0.0.0.0` for all addresses. */
  readonly host: string
  readonly outside: number
  readonly inside: number
  readonly protocol: PortProtocol
}

export const portProtocols = ['tcp', 'udp'] as const
export type PortProtocol = (typeof portProtocols)[number]

/** The wildcard address. */
export const anyHost = '0.0.0.0'

/** The host of a binding; a missing host and `{ip}` of older definitions are the wildcard address. */
const getHost = (text: string | undefined): string =>
  text === undefined || text === '' || text === '{ip}' ? anyHost : text

const shape =
  /^(?:(?<host>\[[\da-f:.]*\]|[^:[\]]*):)?(?<outside>\d{1,5}):(?<inside>\d{1,5})(?:\/(?<protocol>tcp|udp))?$/i

/** Parses `host:outside:inside/protocol`; host and protocol are optional. An IPv6 host is in brackets. */
export function parsePortBinding(text: string): PortBinding | undefined {
  const part = shape.exec(text.trim())?.groups
  if (!part) return undefined
  const [outside, inside] = [Number(part.outside), Number(part.inside)]
  if (![outside, inside].every((port) => port >= 1 && port <= 65_535)) return undefined
  const protocol = part.protocol?.toLowerCase() === 'udp' ? 'udp' : 'tcp'
  return { host: getHost(part.host?.trim()), outside, inside, protocol }
}

/** The four fields of a binding in a form, as text because each may contain `${name}`. */
export interface PortBindingParts {
  readonly host: string
  readonly outside: string
  readonly inside: string
  readonly protocol: PortProtocol
}

const partsShape =
  /^(?:(?<host>\[[\da-f:.]*\]|\[?\$\{[^}]*\}\]?|\{ip\}|[^:[\]]*):)?(?<outside>\$\{[^}]*\}|\d*):(?<inside>\$\{[^}]*\}|\d*)(?:\/(?<protocol>tcp|udp))?$/i

/** Splits a binding whose ports and host may be variables; `undefined` for any other format. */
export function partsOfPortBinding(text: string): PortBindingParts | undefined {
  const part = partsShape.exec(text.trim())?.groups
  if (!part) return undefined
  const protocol = part.protocol?.toLowerCase() === 'udp' ? 'udp' : 'tcp'
  return { host: getHost(part.host), outside: part.outside ?? '', inside: part.inside ?? '', protocol }
}

export function getPortBinding({ host, outside, inside, protocol }: PortBindingParts): string {
  return `${isVariable(host) ? host.trim() : bracketed(host.trim() || anyHost)}:${outside.trim()}:${inside.trim()}/${protocol}`
}

const isVariable = (host: string): boolean => host.includes('${') || host.trim() === '{ip}'

/** Whether the text of a form field is a port or a variable. */
export function isPortText(text: string): boolean {
  const port = text.trim()
  return /^\$\{[^{}$]+\}$/.test(port) || (/^\d{1,5}$/.test(port) && Number(port) >= 1 && Number(port) <= 65_535)
}
