import { z } from 'zod/mini'
import { Refusal } from '../errors/refusals.ts'
import { bracketed } from '../text/address.ts'
import { substitute } from './command-line.ts'
import { normalizePath } from './container-path.ts'
import type { Environment } from './definition.ts'
import {
  type CommandUse,
  DockerFields,
  dockerDefaults,
  findNetworkMode,
  getContainerRoot,
  getDockerFields,
  isOption,
  resourceNames,
  splitImage,
  splitTarget,
  variablesIn,
} from './docker.ts'
import { isPortText, type PortBinding, parsePortBinding, partsOfPortBinding } from './port-binding.ts'
import { getText, isUserEditable, type Variables } from './variables.ts'

/** A bind mount: a path of the node, and its path in the container. */
export interface Mount {
  readonly source: string
  readonly target: string
  readonly isReadOnly?: boolean
}

/** A further place of the server's folder, or of one below it, in the container. */
export interface MountedFolder {
  /** Relative to the server's folder; empty for that folder itself. */
  readonly folder: string
  readonly target: string
  readonly isReadOnly?: boolean
}

/** Validated settings of a container with variables filled in. */
export interface ContainerConfig {
  readonly image: string
  readonly commandAs: CommandUse
  /** The place of the server's folder. */
  readonly root: string
  readonly folders: readonly MountedFolder[]
  readonly isRootReadOnly: boolean
  /** Options by path. */
  readonly tmpfs: Readonly<Record<string, string>>
  /** Whether it runs as the user of the image instead of the owner of the server's folder. */
  readonly usesImageUser: boolean
  readonly network: string
  /** Empty for the host network, where ports need no publishing. */
  readonly ports: readonly PortBinding[]
  readonly mounts: readonly Mount[]
  readonly labels: Readonly<Record<string, string>>
  /** `HostConfig` resources as named by the Docker API. */
  readonly resources: Readonly<Record<string, unknown>>
}

const Address = z.union([z.ipv4(), z.ipv6()])
const imageShape = /^[a-z\d][\w./:@-]{0,254}$/i
const tagShape = /^\w[\w.-]{0,127}$/
const networkShape = /^[a-z\d][\w.-]{0,127}$/i

/**
 * Fills in variables and validates the container settings of an environment. Only administrators choose image and
 * network: there, a variable that users may edit is accepted only with a value from its options. Paths accept no such
 * variable. Throws `ErrFieldInvalid` with the field.
 */
export function getContainerConfig(
  environment: Environment,
  variables: Variables,
  values: ReadonlyMap<string, string>,
): ContainerConfig {
  const read = DockerFields.safeParse(environment)
  if (!read.success) throw invalid(String(read.error.issues[0]?.path[0] ?? ''))
  const fields = read.data
  const root = getRoot(environment)
  return {
    image: getImage(fields.image || dockerDefaults.image, variables, values),
    commandAs: fields.commandAs,
    root,
    folders: Object.entries(fields.folders).map(([target, folder]) => getFolder(target, folder, root)),
    isRootReadOnly: fields.readOnlyRoot,
    tmpfs: Object.fromEntries(Object.entries(fields.tmpfs).map(([path, size]) => getTmpfs(path, size, root))),
    usesImageUser: fields.user === 'image',
    ...getNetwork(fields, variables, values),
    mounts: Object.entries(fields.bindings).map(([source, target]) => getMount(source, target, root)),
    labels: Object.fromEntries(Object.entries(fields.labels).map(([name, text]) => [name, substitute(text, values)])),
    resources: getResources(fields.resources),
  }
}

/** Only the resource fields of `HostConfig` are accepted. */
function getResources(resources: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const known: readonly string[] = resourceNames
  if (Object.keys(resources).some((name) => !known.includes(name))) throw invalid('resources')
  return resources
}

/**
 * The image that a text names, with variables filled in and the default tag: without one, Docker pulls all tags. The
 * name accepts a variable that users may edit only with a value from its options.
 */
export function getImage(text: string, variables: Variables, values: ReadonlyMap<string, string>): string {
  const { name, tag } = splitImage(text)
  const filled = { name: guarded('image', name, variables, values), tag: substitute(tag ?? 'latest', values).trim() }
  const isDigest = filled.name.includes('@')
  if (!imageShape.test(filled.name) || !tagShape.test(filled.tag)) throw invalid('image')
  return isDigest || splitImage(filled.name).tag !== undefined ? filled.name : `${filled.name}:${filled.tag}`
}

function getNetwork(
  fields: DockerFields,
  variables: Variables,
  values: ReadonlyMap<string, string>,
): Pick<ContainerConfig, 'network' | 'ports'> {
  const mode = findNetworkMode(fields.networkMode)
  if (!mode) throw invalid('networkMode')
  if (mode === 'host' || mode === 'none') return { network: mode, ports: [] }
  const name = guarded('networkName', fields.networkName, variables, values)
  if (name === '' && mode !== 'bridge') throw new Refusal('ErrFieldRequired', { field: 'environment.networkName' })
  // `container:` and other prefixes are not networks.
  if (name !== '' && (!networkShape.test(name) || name === 'host')) throw invalid('networkName')
  return { network: name || mode, ports: publishedPorts(fields.portBindings, values) }
}

/** Each port once: two variables may have the same value. */
function publishedPorts(bindings: readonly string[], values: ReadonlyMap<string, string>): PortBinding[] {
  const ports = bindings.filter((text) => !isUnused(text, values)).map((text) => parsePort(text, values))
  return [...new Map(ports.map((port) => [`${port.protocol} ${port.outside} ${port.host}`, port])).values()]
}

/** A port variable that is empty, 0 or negative is of a port that the server does not use. */
function isUnused(text: string, values: ReadonlyMap<string, string>): boolean {
  const outside = partsOfPortBinding(text)?.outside ?? ''
  const [name] = variablesIn(outside)
  const value = name === undefined ? undefined : values.get(name)?.trim()
  return value !== undefined && /^(?:0*|-\d+)$/.test(value)
}

function parsePort(text: string, values: ReadonlyMap<string, string>): PortBinding {
  const variable = misusedInPort(text, values)
  if (variable !== undefined) throw new Refusal('ErrFieldInvalid', { field: `data.${variable}` })
  const port = parsePortBinding(substitute(text, withBrackets(text, values)))
  if (!port) throw invalid('portBindings')
  const host = port.host.replace(/^\[(.*)\]$/, '$1')
  if (!Address.safeParse(host).success) throw invalid('portBindings')
  return { ...port, host }
}

/** The values for a port binding: IPv6 addresses have brackets, unless the text has them. */
function withBrackets(text: string, values: ReadonlyMap<string, string>): Pick<ReadonlyMap<string, string>, 'get'> {
  return {
    get(name) {
      const value = values.get(name)
      return value === undefined || text.includes(`[\${${name}}]`) ? value : bracketed(value.trim())
    },
  }
}

/** The variable in a port binding whose value is not an address or not a port there; empty values are not checked. */
function misusedInPort(text: string, values: ReadonlyMap<string, string>): string | undefined {
  const parts = partsOfPortBinding(text)
  if (!parts) return undefined
  const hostName = /^\[?\$\{([^{}$]+)\}\]?$/.exec(parts.host)?.[1]
  const host = hostName === undefined ? '' : (values.get(hostName)?.trim() ?? '')
  if (hostName !== undefined && host !== '' && host !== '{ip}' && !Address.safeParse(host).success) return hostName
  return [parts.outside, parts.inside].flatMap(variablesIn).find((name) => {
    const value = values.get(name)?.trim() ?? ''
    return value !== '' && !isPortText(value)
  })
}

/** Whether a value of a variable does not fit into the ports that an environment publishes. */
export function isMisusedInPorts(environment: Environment, name: string, value: string): boolean {
  const { networkMode, portBindings } = getDockerFields(environment)
  if (['host', 'none'].includes(findNetworkMode(networkMode) ?? '')) return false
  return portBindings.some((text) => misusedInPort(text, new Map([[name, value]])) === name)
}

/** File systems of the kernel, which a container needs as they are. */
const reserved = ['/proc', '/sys', '/dev'] as const

function getRoot(environment: Environment): string {
  const root = getContainerRoot(environment)
  const isReserved = reserved.some((path) => root === path || root.startsWith(`${path}/`))
  if (root === '/' || isReserved || !isPlainPath(dockerText(environment.containerRoot) || root))
    throw invalid('containerRoot')
  return root
}

const dockerText = (value: unknown): string => (typeof value === 'string' ? value.trim() : '')

/** Paths contain no variables; a colon would begin options. */
const isPlainPath = (path: string): boolean => path.startsWith('/') && !/\$\{|:|[\x00-\x1f\x7f]/.test(path)

/** A path in the container for something else than the server's folder. */
function getPlace(field: string, path: string, root: string): string {
  const place = normalizePath(path)
  if (!isPlainPath(path) || place === '/' || place === root) throw invalid(field)
  return place
}

function getMount(source: string, target: string, root: string): Mount {
  const { path, isReadOnly } = splitTarget(target)
  if (!source.startsWith('/') || /\$\{|\0/.test(source)) throw invalid('bindings')
  return { source, target: getPlace('bindings', path, root), ...(isReadOnly && { isReadOnly }) }
}

function getFolder(target: string, folder: string, root: string): MountedFolder {
  const { path, isReadOnly } = splitTarget(target)
  const parts = folder.split('/').filter((part) => part !== '' && part !== '.')
  if (parts.includes('..') || /\$\{|[\x00-\x1f\x7f]/.test(folder)) throw invalid('folders')
  return { folder: parts.join('/'), target: getPlace('folders', path, root), ...(isReadOnly && { isReadOnly }) }
}

function getTmpfs(path: string, size: string, root: string): [path: string, options: string] {
  if (!/^\d{1,12}[kmg]?$/i.test(size.trim())) throw invalid('tmpfs')
  return [getPlace('tmpfs', path, root), `rw,exec,nosuid,nodev,size=${size.trim().toLowerCase()}`]
}

/**
 * Returns what keeps an environment from being used for a container, each with the field below `path`. Fields with
 * variables that have no value yet are not checked. Ports are checked in every network mode, because the mode may
 * change later; an unknown variable in them matters only where ports are published.
 */
export function validateContainer(environment: Environment, variables: Variables, path: string): Refusal[] {
  const read = DockerFields.safeParse(environment)
  if (!read.success)
    return read.error.issues.map(
      (issue) => new Refusal('ErrFieldInvalid', { field: [path, ...issue.path].map(String).join('.') }),
    )
  const { image, networkMode, networkName, folders, tmpfs, bindings, portBindings, resources } = read.data
  const root = getContainerRoot(environment)
  const values = new Map(Object.entries(variables).map(([name, { value }]) => [name, getText(value)]))
  for (const [name, value] of nodeValues) values.set(name, value)
  values.set('rootDir', root)
  const hasUnsetVariable = (text: string) => variablesIn(text).some((name) => values.get(name) === '')
  const publishesPorts = !['host', 'none'].includes(findNetworkMode(networkMode) ?? '')
  const parseIssues = (text: string, make: () => unknown): Refusal[] => {
    try {
      make()
      return []
    } catch (cause) {
      if (!(cause instanceof Refusal)) throw cause
      // A variable that is not allowed here is not allowed with any value.
      if (hasUnsetVariable(text) && cause.metadata.variable === undefined) return []
      const field = String(cause.metadata.field).replace(/^environment/, path)
      return [new Refusal(cause.code, { ...cause.metadata, field })]
    }
  }
  return [
    ...parseIssues(image, () => getImage(image || dockerDefaults.image, variables, values)),
    ...parseIssues(networkName, () => getNetwork({ ...read.data, portBindings: [] }, variables, values)),
    ...parseIssues('', () => getRoot(environment)),
    ...Object.entries(folders).flatMap(([target, folder]) => parseIssues('', () => getFolder(target, folder, root))),
    ...Object.entries(tmpfs).flatMap(([place, size]) => parseIssues('', () => getTmpfs(place, size, root))),
    ...Object.entries(bindings).flatMap(([source, target]) => parseIssues('', () => getMount(source, target, root))),
    ...portBindings
      .filter((text) => !isUnused(text, values))
      .filter((text) => publishesPorts || variablesIn(text).every((name) => values.has(name)))
      .flatMap((text) => parseIssues(text, () => parsePort(text, values))),
    ...parseIssues('', () => getResources(resources)),
  ]
}

/** Values that the node adds to the variables, as far as they matter here. */
const nodeValues = [
  ['serverId', '00000000'],
  ['core:os', 'linux'],
  ['core:arch', 'amd64'],
  ['core:timezone', 'UTC'],
] as const

/** Fills in text that users of the server must not control. */
function guarded(field: string, text: string, variables: Variables, values: ReadonlyMap<string, string>): string {
  for (const name of variablesIn(text)) {
    const variable = Object.hasOwn(variables, name) ? variables[name] : undefined
    if (variable && isUserEditable(variable) && !isOption(variable))
      throw new Refusal('ErrFieldInvalid', { field: `environment.${field}`, variable: name })
  }
  return substitute(text, values).trim()
}

function invalid(field: string): Refusal {
  return new Refusal('ErrFieldInvalid', { field: `environment.${field}` })
}

/** The image that a text names, with the default tag: without one, Docker pulls all tags. */
export function imageNamed(text: string): string {
  const isTagged = text.includes('@') || splitImage(text).tag !== undefined
  if (!imageShape.test(text)) throw invalid('image')
  return isTagged ? text : `${text}:latest`
}
