import type { Template } from '@innkeeper/contract/definition'
import { type ListenAddress, tryParseListenAddress } from '@innkeeper/contract/listen-address'
import type { PortInUse } from '@innkeeper/contract/node-ports'
import { getValue, type ServerDraft } from './draft.ts'

export type PortAddress = Pick<PortInUse, 'address' | 'port'>

/** The address that the server would listen on. */
export function getListenAddress(draft: ServerDraft, template: Template): ListenAddress {
  const values = (['ip', 'port'] as const).flatMap((name) => {
    const variable = getVariable(template, name)
    return variable ? [[name, { ...variable, value: getValue(draft, name, variable) ?? null }] as const] : []
  })
  return tryParseListenAddress(Object.fromEntries(values))
}

/**
 * Whether a free port of the node may be filled in: the template has a port, and the user has not set one. A port that
 * was filled in for another node is replaced.
 */
export function canSuggestPort(draft: ServerDraft, template: Template, node: number): boolean {
  const { suggested, values } = draft
  if (!getVariable(template, 'port') || suggested?.node === node) return false
  if (suggested) return isAtAddress(getListenAddress(draft, template), suggested, template)
  return !Object.hasOwn(values, 'port') && !Object.hasOwn(values, 'ip') && getListenAddress(draft, template).port > 0
}

/** Fills an address into the variables. The port is a number if it is one in the template, else text. */
export function setPortAddress(
  draft: ServerDraft,
  template: Template,
  node: number,
  { address, port }: PortAddress,
): ServerDraft {
  const value = typeof getVariable(template, 'port')?.value === 'number' ? port : String(port)
  const changed: ServerDraft['values'] = getVariable(template, 'ip') ? { ip: address, port: value } : { port: value }
  return { ...draft, values: { ...draft.values, ...changed }, suggested: { address, port, node } }
}

/** The free address after the current one; the first when the current one is not free. */
export function nextFreePort(free: readonly PortAddress[], current: ListenAddress): PortAddress | undefined {
  const index = free.findIndex(({ port }) => port === current.port)
  return free[(index + 1) % free.length]
}

const isAtAddress = ({ ip, port }: ListenAddress, address: PortAddress, template: Template) =>
  port === address.port && (!getVariable(template, 'ip') || ip === address.address)

const getVariable = ({ data }: Template, name: string) => (Object.hasOwn(data, name) ? data[name] : undefined)
