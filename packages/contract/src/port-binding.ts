/** A port of the node that leads to a port of a container. */
export interface PortBinding {
  /** An address of the node; `0.0.0.0` stands for all of them. */
  readonly host: string
  readonly outside: number
  readonly inside: number
  readonly protocol: PortProtocol
}

export const portProtocols = ['tcp', 'udp'] as const
export type PortProtocol = (typeof portProtocols)[number]

/** Stands for every address of the node. */
export const anyHost = '0.0.0.0'

/** The host of a binding: a missing one, and the `{ip}` of older definitions, is every address. */
const hostOf = (text: string | undefined): string =>
  text === undefined || text === '' || text === '{ip}' ? anyHost : text

const shape =
  /^(?:(?<host>\[[\da-f:.]*\]|[^:[\]]*):)?(?<outside>\d{1,5}):(?<inside>\d{1,5})(?:\/(?<protocol>tcp|udp))?$/i

/** Reads `host:outside:inside/protocol`; a missing host or protocol takes its default. An IPv6 host is in brackets. */
export function parsePortBinding(text: string): PortBinding | undefined {
  const part = shape.exec(text.trim())?.groups
  if (!part) return undefined
  const [outside, inside] = [Number(part.outside), Number(part.inside)]
  if (![outside, inside].every((port) => port >= 1 && port <= 65_535)) return undefined
  const protocol = part.protocol?.toLowerCase() === 'udp' ? 'udp' : 'tcp'
  return { host: hostOf(part.host?.trim()), outside, inside, protocol }
}

export function formatPortBinding({ host, outside, inside, protocol }: PortBinding): string {
  return `${host || anyHost}:${outside}:${inside}/${protocol}`
}

/** The four parts of a binding as a form shows them: texts, because each may hold `${name}`. */
export interface PortBindingParts {
  readonly host: string
  readonly outside: string
  readonly inside: string
  readonly protocol: PortProtocol
}

const partsShape =
  /^(?:(?<host>\[[\da-f:.]*\]|\$\{[^}]*\}|\{ip\}|[^:[\]]*):)?(?<outside>\$\{[^}]*\}|\d*):(?<inside>\$\{[^}]*\}|\d*)(?:\/(?<protocol>tcp|udp))?$/i

/** The parts of a binding whose ports and host may still be variables; `undefined` for what has other parts. */
export function partsOfPortBinding(text: string): PortBindingParts | undefined {
  const part = partsShape.exec(text.trim())?.groups
  if (!part) return undefined
  const protocol = part.protocol?.toLowerCase() === 'udp' ? 'udp' : 'tcp'
  return { host: hostOf(part.host), outside: part.outside ?? '', inside: part.inside ?? '', protocol }
}

export function portBindingOf({ host, outside, inside, protocol }: PortBindingParts): string {
  return `${host.trim() || anyHost}:${outside.trim()}:${inside.trim()}/${protocol}`
}

/** Whether a port of a form is one, or a variable that will be one. */
export function isPortText(text: string): boolean {
  const port = text.trim()
  return /^\$\{[^{}$]+\}$/.test(port) || (/^\d{1,5}$/.test(port) && Number(port) >= 1 && Number(port) <= 65_535)
}
