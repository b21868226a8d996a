import type { Environment } from '@innkeeper/contract/definition'
import { dockerFieldsOf, type NetworkMode, networkModeOf } from '@innkeeper/contract/docker'
import { isOrdinaryKey } from '@innkeeper/contract/names'
import {
  anyHost,
  isPortText,
  type PortBindingParts,
  partsOfPortBinding,
  portBindingOf,
} from '@innkeeper/contract/port-binding'
import type { RefusalCode } from '@innkeeper/contract/refusals'

/** One path of the node that the container sees. The key keeps rows apart while they are typed. */
export interface BindingRow {
  readonly key: number
  readonly outside: string
  readonly inside: string
}

export interface PortRow extends PortBindingParts {
  readonly key: number
}

/** What a form shows of a container's environment. */
export interface DockerForm {
  readonly image: string
  /** As it is written, when it is none that we know. */
  readonly networkMode: NetworkMode | string
  readonly networkName: string
  readonly bindings: readonly BindingRow[]
  readonly ports: readonly PortRow[]
  /** Port bindings of a form that has no boxes, for example ranges: they stay. */
  readonly otherPorts: readonly string[]
}

export function toDockerForm(environment: Environment): DockerForm {
  const { image, networkMode, networkName, bindings, portBindings } = dockerFieldsOf(environment)
  const parts = portBindings.map((text, key) => ({ text, key, read: partsOfPortBinding(text) }))
  return {
    image,
    networkMode: networkModeOf(networkMode) ?? networkMode,
    networkName,
    bindings: Object.entries(bindings).map(([outside, inside], key) => ({ key, outside, inside })),
    ports: parts.flatMap(({ read, key }) => (read ? [{ key, ...read }] : [])),
    otherPorts: parts.flatMap(({ read, text }) => (read ? [] : [text])),
  }
}

/** The environment with what the form says; rows without anything are left out, only what differs is touched. */
export function applyDockerForm(environment: Environment, form: DockerForm): Environment {
  const before = toDockerForm(environment)
  const changed: Environment = { ...environment }
  for (const field of ['image', 'networkMode', 'networkName'] as const)
    if (form[field].trim() !== before[field]) changed[field] = form[field].trim()
  if (!isSame(bindingsOf(form), bindingsOf(before))) changed.bindings = bindingsOf(form)
  if (!isSame(portsOf(form), portsOf(before))) changed.portBindings = portsOf(form)
  return changed
}

/** Whether ports and a network's name mean anything: the node's own network has no doors to open. */
export function hasNetwork({ networkMode }: Pick<DockerForm, 'networkMode'>): boolean {
  return networkMode !== 'host' && networkMode !== 'none'
}

/** What stands against a form, by field: `image`, `networkName`, `binding-<key>`, `port-<key>`. */
export function validateDockerForm(form: DockerForm): ReadonlyMap<string, RefusalCode> {
  const found = new Map<string, RefusalCode>()
  if (/\s/.test(form.image.trim())) found.set('image', 'ErrFieldInvalid')
  if (['overlay', 'macvlan'].includes(form.networkMode) && form.networkName.trim() === '')
    found.set('networkName', 'ErrFieldRequired')
  for (const { key, outside, inside } of form.bindings) {
    const isEmpty = outside.trim() === '' && inside.trim() === ''
    if (!isEmpty && !(isPath(outside) && isPath(inside))) found.set(`binding-${key}`, 'ErrFieldInvalid')
  }
  for (const row of form.ports) {
    const isRight = isPortText(row.outside) && isPortText(row.inside) && partsOfPortBinding(portBindingOf(row))
    if (!isEmptyPort(row) && !isRight) found.set(`port-${row.key}`, 'ErrFieldInvalid')
  }
  return found
}

/** A key that no row has. */
export function nextKey(rows: readonly { readonly key: number }[]): number {
  return Math.max(-1, ...rows.map(({ key }) => key)) + 1
}

export function newPort(rows: readonly PortRow[]): PortRow {
  return { key: nextKey(rows), host: anyHost, outside: '', inside: '', protocol: 'tcp' }
}

/** An absolute path; variables are not filled in there. */
function isPath(text: string): boolean {
  return text.trim().startsWith('/') && !text.includes('${') && isOrdinaryKey(text.trim())
}

function isEmptyPort({ outside, inside }: PortRow): boolean {
  return outside.trim() === '' && inside.trim() === ''
}

function bindingsOf({ bindings }: DockerForm): Record<string, string> {
  const filled = bindings.filter(({ outside }) => outside.trim() !== '' && isOrdinaryKey(outside.trim()))
  return Object.fromEntries(filled.map(({ outside, inside }) => [outside.trim(), inside.trim()]))
}

function portsOf({ ports, otherPorts }: DockerForm): string[] {
  return [...ports.filter((row) => !isEmptyPort(row)).map(portBindingOf), ...otherPorts]
}

const isSame = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b)
