import type { Template } from '@innkeeper/contract/definition'
import { type ListenAddress, readableAddressIn } from '@innkeeper/contract/listen-address'
import type { PortInUse } from '@innkeeper/contract/node-ports'
import { type Draft, valueNow } from './draft.ts'

/** A free place on a node. */
export type Place = Pick<PortInUse, 'address' | 'port'>

/** Where the server would listen as the draft is now. */
export function addressNow(draft: Draft, template: Template): ListenAddress {
  const values = (['ip', 'port'] as const).flatMap((name) => {
    const variable = own(template, name)
    return variable ? [[name, { ...variable, value: valueNow(draft, name, variable) ?? null }] as const] : []
  })
  return readableAddressIn(Object.fromEntries(values))
}

/**
 * Whether a free port of the node may take the place of what stands there: nobody typed one, and the template wants
 * one. What was proposed for another node makes room as well.
 */
export function isOpenToProposal(draft: Draft, template: Template, node: number): boolean {
  const { proposed, values } = draft
  if (!own(template, 'port') || proposed?.node === node) return false
  if (proposed) return isSame(addressNow(draft, template), proposed, template)
  return !Object.hasOwn(values, 'port') && !Object.hasOwn(values, 'ip') && addressNow(draft, template).port > 0
}

/** Takes a place into the variables; a number where the template holds one. */
export function withPlace(draft: Draft, template: Template, node: number, place: Place): Draft {
  const port = typeof own(template, 'port')?.value === 'number' ? place.port : String(place.port)
  const taken: Draft['values'] = own(template, 'ip') ? { ip: place.address, port } : { port }
  return { ...draft, values: { ...draft.values, ...taken }, proposed: { ...place, node } }
}

/** The free place after the one that is chosen; the first when that is none of them. */
export function placeAfter(free: readonly Place[], chosen: ListenAddress): Place | undefined {
  const at = free.findIndex(({ port }) => port === chosen.port)
  return free[(at + 1) % free.length]
}

const isSame = ({ ip, port }: ListenAddress, place: Place, template: Template) =>
  port === place.port && (!own(template, 'ip') || ip === place.address)

const own = ({ data }: Template, name: string) => (Object.hasOwn(data, name) ? data[name] : undefined)
