import type { Template } from '@innkeeper/contract/definitions/definition'
import { getPortVariables, type PortVariable } from '@innkeeper/contract/definitions/port-variables'
import { validateVariable } from '@innkeeper/contract/definitions/validate-variable'
import { getText } from '@innkeeper/contract/definitions/variables'
import { type ListenAddress, tryParseListenAddress } from '@innkeeper/contract/http/listen-address'
import type { PortInUse } from '@innkeeper/contract/nodes/node-ports'
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

/**
 * Fills an address into the variables, and the free ports that follow it into further port variables that the user has
 * not set. A port is a number if it is one in the template, else text.
 */
export function setPortAddress(
  draft: ServerDraft,
  template: Template,
  node: number,
  { address, port }: PortAddress,
  free: readonly PortAddress[] = [],
): ServerDraft {
  const others = furtherPorts(draft, template, { address, port }, free)
  const ports = Object.entries({ port, ...others }).map(([name, number]) => [
    name,
    typeof getVariable(template, name)?.value === 'number' ? number : String(number),
  ])
  const ip: ServerDraft['values'] = getVariable(template, 'ip') ? { ip: address } : {}
  const values = { ...draft.values, ...ip, ...(Object.fromEntries(ports) as ServerDraft['values']) }
  return { ...draft, values, suggested: { address, port, node, others } }
}

function furtherPorts(
  draft: ServerDraft,
  template: Template,
  main: PortAddress,
  free: readonly PortAddress[],
): Readonly<Record<string, number>> {
  const kept = userPorts(draft, template)
  const onAddress = free.filter(({ address, port }) => address === main.address && !kept.has(port))
  const after = onAddress.findIndex(({ port }) => port === main.port) + 1
  const ports = [...onAddress.slice(after), ...onAddress.slice(0, after)].filter(({ port }) => port !== main.port)
  const open = furtherVariables(template).filter(({ name }) => !isSetByUser(draft, name))
  const found: Record<string, number> = {}
  for (const { name, variable } of open) {
    // A variable may allow certain ports only.
    const at = ports.findIndex(({ port }) => !validateVariable(name, variable, String(port), name))
    const [chosen] = at < 0 ? [] : ports.splice(at, 1)
    if (chosen) found[name] = chosen.port
  }
  return found
}

/** Port variables besides the main one that users can set. */
const furtherVariables = ({ data }: Template): readonly PortVariable[] =>
  getPortVariables(data).filter(({ name, variable }) => name !== 'port' && variable.internal !== true)

/** Whether the user has set it; a port that was filled in is not. */
function isSetByUser({ values, suggested }: ServerDraft, name: string): boolean {
  if (!Object.hasOwn(values, name)) return false
  const others = suggested?.others ?? {}
  return !Object.hasOwn(others, name) || getText(values[name]) !== String(others[name])
}

/** Further ports that the user has set. */
const userPorts = (draft: ServerDraft, template: Template): ReadonlySet<number> =>
  new Set(
    furtherVariables(template)
      .filter(({ name }) => isSetByUser(draft, name))
      .map(({ name }) => Number(getText(draft.values[name]))),
  )

/** The free addresses without ports that the user has entered for something else. */
export const withoutUserPorts = (
  free: readonly PortAddress[],
  draft: ServerDraft,
  template: Template,
): readonly PortAddress[] => {
  const kept = userPorts(draft, template)
  return free.filter(({ port }) => !kept.has(port))
}

/** The free address after the current one; the first when the current one is not free. */
export function nextFreePort(free: readonly PortAddress[], current: ListenAddress): PortAddress | undefined {
  const index = free.findIndex(({ port }) => port === current.port)
  return free[(index + 1) % free.length]
}

const isAtAddress = ({ ip, port }: ListenAddress, address: PortAddress, template: Template) =>
  port === address.port && (!getVariable(template, 'ip') || ip === address.address)

const getVariable = ({ data }: Template, name: string) => (Object.hasOwn(data, name) ? data[name] : undefined)
