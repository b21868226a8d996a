import { isIP } from 'node:net'
import { isAbsolute, posix } from 'node:path'
import { substitute } from '@innkeeper/contract/command-line'
import type { Environment } from '@innkeeper/contract/definition'
import {
  containerRoot,
  DockerFields,
  dockerDefaults,
  isChoice,
  networkModeOf,
  partsOfImage,
  resourceNames,
  variablesIn,
} from '@innkeeper/contract/docker'
import { limits } from '@innkeeper/contract/limits'
import { anyHost, type PortBinding, parsePortBinding } from '@innkeeper/contract/port-binding'
import { Refusal } from '@innkeeper/contract/refusals'
import { isUserEditable, type Variables } from '@innkeeper/contract/variables'
import type { ContainerCreateOptions } from 'dockerode'
import type { LaunchPlan } from '../run.ts'

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
  const host = port.host === anyHost ? '0.0.0.0' : port.host.replace(/^\[(.*)\]$/, '$1')
  if (isIP(host) === 0) throw invalid('portBindings')
  return { ...port, host }
}

function mountOf(source: string, target: string) {
  const isWhole = isAbsolute(source) && isAbsolute(target) && !/\$\{|\0/.test(source + target)
  const inside = posix.resolve(target)
  // The server's own folder is where it is; nothing takes its place.
  if (!isWhole || inside === '/' || inside === containerRoot) throw invalid('bindings')
  return { source, target: inside }
}

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

interface Particulars {
  readonly name: string
  readonly plan: LaunchPlan
  readonly shape: ContainerShape
  readonly rootDir: string
  /** Who owns the server's folder. */
  readonly user: { readonly uid: number; readonly gid: number }
  readonly labels: Readonly<Record<string, string>>
  /** Whether the engine has a first process that reaps and passes signals on. */
  readonly hasInit: boolean
}

/** The one image that a text names: without a tag the engine would fetch every one. */
export function imageNamed(text: string): string {
  const isTagged = text.includes('@') || partsOfImage(text).tag !== undefined
  if (!imageShape.test(text)) throw invalid('image')
  return isTagged ? text : `${text}:latest`
}

/** What the engine is asked to create: a container that may do little beside its work. */
export function optionsOf(particulars: Particulars): ContainerCreateOptions {
  const { name, plan, shape, rootDir, user, labels, hasInit } = particulars
  const { memory, cpu, processes } = plan.limits ?? {}
  const { resources } = shape
  const bytes = memory === undefined ? undefined : Math.max(6, memory) * 1024 ** 2
  return {
    name,
    Image: shape.image,
    Entrypoint: [plan.file, ...plan.args],
    Cmd: [],
    WorkingDir: insideOf(rootDir, plan.cwd),
    Env: Object.entries(plan.env).map(([key, value]) => `${key}=${value}`),
    User: `${user.uid}:${user.gid}`,
    // Ours come last: by them the container is found again.
    Labels: { ...shape.labels, ...labels },
    Tty: true,
    OpenStdin: true,
    StdinOnce: false,
    ExposedPorts: Object.fromEntries(shape.ports.map(({ inside, protocol }) => [`${inside}/${protocol}`, {}])),
    HostConfig: {
      ...resources,
      AutoRemove: false,
      NetworkMode: shape.network,
      PortBindings: portBindingsOf(shape.ports),
      Mounts: [{ source: rootDir, target: containerRoot }, ...shape.mounts].map(
        ({ source, target, isReadOnly }: Mount) => ({
          Type: 'bind' as const,
          Source: source,
          Target: target,
          ...(isReadOnly && { ReadOnly: true }),
        }),
      ),
      CapDrop: ['ALL'],
      SecurityOpt: ['no-new-privileges'],
      ...(hasInit && { Init: true }),
      ...(bytes !== undefined && { Memory: bytes, MemorySwap: bytes }),
      ...(cpu !== undefined && { NanoCpus: Math.max(10_000_000, Math.round(cpu * 10_000_000)) }),
      PidsLimit: Math.max(1, Math.round(processes ?? (Number(resources.PidsLimit) || limits.serverProcesses))),
      LogConfig: {
        Type: 'json-file',
        Config: { 'max-size': String(limits.dockerLogFileBytes), 'max-file': String(limits.dockerLogFiles) },
      },
    },
  }
}

/** A folder below the server's as the container sees it. */
function insideOf(rootDir: string, cwd: string): string {
  const below = posix.relative(rootDir, cwd)
  if (below === '..' || below.startsWith('../')) throw new Refusal('ErrMissingDirectory', { path: cwd })
  return posix.join(containerRoot, below)
}

function portBindingsOf(ports: readonly PortBinding[]) {
  const byInside = Map.groupBy(ports, ({ inside, protocol }) => `${inside}/${protocol}`)
  const outsideOf = ({ host, outside }: PortBinding) => ({ HostIp: host, HostPort: String(outside) })
  return Object.fromEntries([...byInside].map(([inside, those]) => [inside, those.map(outsideOf)]))
}
