import { z } from 'zod'
import { substitute } from './command-line.ts'
import type { Environment } from './definition.ts'
import {
  containerRoot,
  DockerFields,
  dockerDefaults,
  isChoice,
  networkModeOf,
  partsOfImage,
  resourceNames,
  variablesIn,
} from './docker.ts'
import { type PortBinding, parsePortBinding } from './port-binding.ts'
import { Refusal } from './refusals.ts'
import { isUserEditable, textOf, type Variables } from './variables.ts'

/** A folder of the node, and where a container sees it. */
export interface Mount {
  readonly source: string
  readonly target: string
  readonly isReadOnly?: boolean
}

/** What a container is made of, filled in and checked. */
export interface ContainerShape {
  readonly image: string
  readonly network: string
  /** None on the node's own network, where nothing has to lead to them. */
  readonly ports: readonly PortBinding[]
  readonly mounts: readonly Mount[]
  readonly labels: Readonly<Record<string, string>>
  /** In the engine's words. */
  readonly resources: Readonly<Record<string, unknown>>
}

const Address = z.union([z.ipv4(), z.ipv6()])
const imageShape = /^[a-z\d][\w./:@-]{0,254}$/i
const tagShape = /^\w[\w.-]{0,127}$/
const networkShape = /^[a-z\d][\w.-]{0,127}$/i

/**
 * Fills in and checks what an environment says of its container. Image and network are an administrator's matter: a
 * variable that the server's users may edit can stand there only as a choice from options, and paths take none at all.
 * Throws `ErrFieldInvalid`, naming the field.
 */
export function shapeOf(
  environment: Environment,
  variables: Variables,
  values: ReadonlyMap<string, string>,
): ContainerShape {
  const read = DockerFields.safeParse(environment)
  if (!read.success) throw invalid(String(read.error.issues[0]?.path[0] ?? ''))
  const fields = read.data
  return {
    image: imageOf(fields.image || dockerDefaults.image, variables, values),
    ...networkOf(fields, variables, values),
    mounts: Object.entries(fields.bindings).map(([source, target]) => mountOf(source, target)),
    labels: Object.fromEntries(Object.entries(fields.labels).map(([name, text]) => [name, substitute(text, values)])),
    resources: resourcesOf(fields.resources),
  }
}

/** Of the settings of a container only what the engine calls its resources. */
function resourcesOf(given: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const known: readonly string[] = resourceNames
  if (Object.keys(given).some((name) => !known.includes(name))) throw invalid('resources')
  return given
}

/** Always one image: without a tag the engine would fetch every one. */
function imageOf(text: string, variables: Variables, values: ReadonlyMap<string, string>): string {
  const { name, tag } = partsOfImage(text)
  const filled = { name: guarded('image', name, variables, values), tag: substitute(tag ?? 'latest', values).trim() }
  const isDigest = filled.name.includes('@')
  if (!imageShape.test(filled.name) || !tagShape.test(filled.tag)) throw invalid('image')
  return isDigest || partsOfImage(filled.name).tag !== undefined ? filled.name : `${filled.name}:${filled.tag}`
}

function networkOf(
  fields: DockerFields,
  variables: Variables,
  values: ReadonlyMap<string, string>,
): Pick<ContainerShape, 'network' | 'ports'> {
  const mode = networkModeOf(fields.networkMode)
  if (!mode) throw invalid('networkMode')
  if (mode === 'host' || mode === 'none') return { network: mode, ports: [] }
  const name = guarded('networkName', fields.networkName, variables, values)
  if (name === '' && mode !== 'bridge') throw new Refusal('ErrFieldRequired', { field: 'environment.networkName' })
  // `container:` and the like would be other things than networks.
  if (name !== '' && (!networkShape.test(name) || name === 'host')) throw invalid('networkName')
  return { network: name || mode, ports: fields.portBindings.map((text) => portOf(substitute(text, values))) }
}

function portOf(text: string): PortBinding {
  const port = parsePortBinding(text)
  if (!port) throw invalid('portBindings')
  const host = port.host.replace(/^\[(.*)\]$/, '$1')
  if (!Address.safeParse(host).success) throw invalid('portBindings')
  return { ...port, host }
}

function mountOf(source: string, target: string) {
  const isWhole = source.startsWith('/') && target.startsWith('/') && !/\$\{|\0/.test(source + target)
  const inside = normalized(target)
  // The server's own folder is where it is; nothing takes its place.
  if (!isWhole || inside === '/' || inside === containerRoot) throw invalid('bindings')
  return { source, target: inside }
}

/**
 * Why no container can be made of an environment, each with its field below `path`. Where a variable has no value yet,
 * nobody can tell yet. Ports are looked at in every network mode, because another mode may be chosen later; a variable that
 * is not there matters only where they are bound.
 */
export function objectionsToContainer(environment: Environment, variables: Variables, path: string): Refusal[] {
  const read = DockerFields.safeParse(environment)
  if (!read.success)
    return read.error.issues.map(
      (issue) => new Refusal('ErrFieldInvalid', { field: [path, ...issue.path].map(String).join('.') }),
    )
  const { image, networkMode, networkName, bindings, portBindings, resources } = read.data
  const values = new Map(Object.entries(variables).map(([name, { value }]) => [name, textOf(value)]))
  for (const [name, value] of nodeValues) values.set(name, value)
  const isOpen = (text: string) => variablesIn(text).some((name) => values.get(name) === '')
  const isBound = !['host', 'none'].includes(networkModeOf(networkMode) ?? '')
  const attempt = (text: string, make: () => unknown): Refusal[] => {
    try {
      make()
      return []
    } catch (cause) {
      if (!(cause instanceof Refusal)) throw cause
      // A variable that may not stand there may not do so with any value.
      if (isOpen(text) && cause.metadata.variable === undefined) return []
      const field = String(cause.metadata.field).replace(/^environment/, path)
      return [new Refusal(cause.code, { ...cause.metadata, field })]
    }
  }
  return [
    ...attempt(image, () => imageOf(image || dockerDefaults.image, variables, values)),
    ...attempt(networkName, () => networkOf({ ...read.data, portBindings: [] }, variables, values)),
    ...Object.entries(bindings).flatMap(([source, target]) => attempt('', () => mountOf(source, target))),
    ...portBindings
      .filter((text) => isBound || variablesIn(text).every((name) => values.has(name)))
      .flatMap((text) => attempt(text, () => portOf(substitute(text, values)))),
    ...attempt('', () => resourcesOf(resources)),
  ]
}

/** What the node fills in beside variables, as far as it matters here. */
const nodeValues = [
  ['serverId', '00000000'],
  ['rootDir', containerRoot],
  ['core:os', 'linux'],
  ['core:arch', 'amd64'],
] as const

/** Fills in a text that must not become what a user of the server wants. */
function guarded(field: string, text: string, variables: Variables, values: ReadonlyMap<string, string>): string {
  for (const name of variablesIn(text)) {
    const variable = Object.hasOwn(variables, name) ? variables[name] : undefined
    if (variable && isUserEditable(variable) && !isChoice(variable))
      throw new Refusal('ErrFieldInvalid', { field: `environment.${field}`, variable: name })
  }
  return substitute(text, values).trim()
}

function invalid(field: string): Refusal {
  return new Refusal('ErrFieldInvalid', { field: `environment.${field}` })
}

/** The one image that a text names: without a tag the engine would fetch every one. */
export function imageNamed(text: string): string {
  const isTagged = text.includes('@') || partsOfImage(text).tag !== undefined
  if (!imageShape.test(text)) throw invalid('image')
  return isTagged ? text : `${text}:latest`
}

/** An absolute path without `.`, `..` and doubled slashes. */
function normalized(path: string): string {
  const parts: string[] = []
  for (const part of path.split('/')) {
    if (part === '..') parts.pop()
    else if (part !== '' && part !== '.') parts.push(part)
  }
  return `/${parts.join('/')}`
}
