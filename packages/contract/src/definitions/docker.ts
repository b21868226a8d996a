import { z } from 'zod/mini'
import { isSafeKey } from '../text/names.ts'
import { normalizePath } from './container-path.ts'
import type { Definition, Environment } from './definition.ts'
import { getText, getVariableType, type Variable } from './variables.ts'

export const networkModes = ['bridge', 'host', 'overlay', 'macvlan', 'none'] as const
export type NetworkMode = (typeof networkModes)[number]

export const dockerDefaults = { image: 'debian:stable-slim', networkMode: 'host' } as const

/** Default of `containerRoot`; published templates use it. */
export const defaultContainerRoot = '/pufferpanel'

const LenientText = z.pipe(
  z.nullish(z.string()),
  z.transform((input) => input?.trim() ?? ''),
)

/** A list; a single text is a list of one. */
const Lines = z.pipe(
  z.transform((input) => (typeof input === 'string' ? [input] : (input ?? []))),
  z.array(z.string()),
)

const Flag = z.pipe(
  z.nullish(z.union([z.boolean(), z.enum(['true', 'false'])])),
  z.transform((input) => String(input) === 'true'),
)

/** Text, or a number as its digits, by key. */
const TextByKey = z.pipe(
  z.transform((input) => input ?? {}),
  z.record(z.string().check(z.refine(isSafeKey)), z.coerce.string()),
)

/**
 * How the start command reaches a container. `replace`: it runs instead of the image's entry point; when it is empty,
 * the entry point and the command of the image run. `arguments`: the entry point of the image gets it as its arguments.
 * `variable`: entry point and command of the image run unchanged and find it, as written, in the variable `STARTUP`.
 */
export const commandUses = ['replace', 'arguments', 'variable'] as const
export type CommandUse = (typeof commandUses)[number]

/** Fields of a container environment besides its type. Parsed leniently; unknown fields are kept. */
export const DockerFields = z.looseObject({
  /** May contain `${name}`. */
  image: LenientText,
  /** One of `networkModes`; empty is the default. */
  networkMode: LenientText,
  /** May contain `${name}`. */
  networkName: LenientText,
  /** Missing or empty is `replace`. */
  commandAs: z.pipe(
    z.pipe(
      LenientText,
      z.transform((input: string) => input || 'replace'),
    ),
    z.enum(commandUses),
  ),
  /** The place of the server's folder in the container; empty is `defaultContainerRoot`. */
  containerRoot: LenientText,
  /** Further places in the container, each with the folder below that of the server; empty is that folder itself. */
  folders: TextByKey,
  /** Bind mounts: paths of the node to paths in the container. `:ro` at the end means read-only, in `folders` too. */
  bindings: z.pipe(
    z.transform((input) => input ?? {}),
    z.record(z.string().check(z.refine(isSafeKey)), z.string()),
  ),
  /** Whether the root file system is read-only. */
  readOnlyRoot: Flag,
  /** Writable file systems in memory: path and size, like `100m`. */
  tmpfs: TextByKey,
  /** Empty: the owner of the server's folder. `image`: the user of the image. */
  user: z.pipe(LenientText, z.enum(['', 'image'])),
  /** `host:outside:inside/protocol`; may contain `${name}`. */
  portBindings: Lines,
  /** Additional container labels; may contain `${name}`. */
  labels: TextByKey,
  /** `HostConfig` fields of the Docker API: see `resourceNames`. `limits` of the environment take precedence. */
  resources: z.pipe(
    z.transform((input) => input ?? {}),
    z.record(z.string(), z.unknown()),
  ),
})
export type DockerFields = z.infer<typeof DockerFields>

/** The accepted `HostConfig` resource fields; other fields are ignored. */
export const resourceNames = [
  'BlkioDeviceReadBps',
  'BlkioDeviceReadIOps',
  'BlkioDeviceWriteBps',
  'BlkioDeviceWriteIOps',
  'BlkioWeight',
  'BlkioWeightDevice',
  'CpuCount',
  'CpuPercent',
  'CpuPeriod',
  'CpuQuota',
  'CpuRealtimePeriod',
  'CpuRealtimeRuntime',
  'CpuShares',
  'CpusetCpus',
  'CpusetMems',
  'DeviceCgroupRules',
  'DeviceRequests',
  'Devices',
  'Memory',
  'MemoryReservation',
  'MemorySwap',
  'MemorySwappiness',
  'NanoCpus',
  'OomKillDisable',
  'PidsLimit',
  'Ulimits',
] as const

/** The fields of an environment for a form; fields that cannot be parsed are empty. */
export function getDockerFields(environment: Environment): DockerFields {
  const whole = DockerFields.safeParse(environment)
  if (whole.success) return whole.data
  const { shape } = DockerFields
  return {
    image: z.catch(shape.image, '').parse(environment.image),
    networkMode: z.catch(shape.networkMode, '').parse(environment.networkMode),
    networkName: z.catch(shape.networkName, '').parse(environment.networkName),
    commandAs: z.catch(shape.commandAs, 'replace').parse(environment.commandAs),
    containerRoot: z.catch(shape.containerRoot, '').parse(environment.containerRoot),
    folders: z.catch(shape.folders, {}).parse(environment.folders),
    bindings: z.catch(shape.bindings, {}).parse(environment.bindings),
    readOnlyRoot: z.catch(shape.readOnlyRoot, false).parse(environment.readOnlyRoot),
    tmpfs: z.catch(shape.tmpfs, {}).parse(environment.tmpfs),
    user: z.catch(shape.user, '').parse(environment.user),
    portBindings: z.catch(shape.portBindings, []).parse(environment.portBindings),
    labels: z.catch(shape.labels, {}).parse(environment.labels),
    resources: z.catch(shape.resources, {}).parse(environment.resources),
  }
}

/** The place of the server's folder in a container. */
export function getContainerRoot(environment: Environment): string {
  return normalizePath(getDockerFields(environment).containerRoot || defaultContainerRoot)
}

/** Splits the path in a container from `:ro` behind it. */
export function splitTarget(target: string): { readonly path: string; readonly isReadOnly: boolean } {
  const isReadOnly = target.endsWith(':ro')
  return { path: isReadOnly ? target.slice(0, -':ro'.length) : target, isReadOnly }
}

/** Splits an image reference into name and tag; the tag may be missing. Does not substitute variables. */
export function splitImage(image: string): { readonly name: string; readonly tag: string | undefined } {
  const masked = image.replace(/\$\{[^{}$]*\}/g, (variable) => 'x'.repeat(variable.length))
  const at = image.includes('@') ? -1 : masked.search(/:[^/:]*$/)
  return at < 0 ? { name: image, tag: undefined } : { name: image.slice(0, at), tag: image.slice(at + 1) }
}

/** Names of the variables in a text. */
export function variablesIn(text: string): string[] {
  return [...text.matchAll(/\$\{([^{}$]+)\}/g)].map(([, name = '']) => name)
}

/**
 * Variables that decide the image and the network of a container. Only administrators may set them freely; others may
 * set one only when its value is one of its options. A variable in the tag is not included: a tag selects a version of
 * the same image.
 */
export function adminOnlyVariables(environment: Environment): string[] {
  const { image, networkName } = getDockerFields(environment)
  return [splitImage(image).name, networkName].flatMap(variablesIn)
}

/** The same for the images of scripts in steps. */
export function adminOnlyVariablesOfSteps({ install, uninstall, run }: Definition): string[] {
  const steps = [install, uninstall, run.pre, run.post].flatMap((list) => list ?? [])
  return steps.flatMap(({ type, image }) =>
    type === 'dockerrun' && typeof image === 'string' ? variablesIn(splitImage(image).name) : [],
  )
}

/** Whether a variable's value is one of its options. */
export function isOption(variable: Variable): boolean {
  const options = getVariableType(variable) === 'option' ? (variable.options ?? []) : []
  return options.some(({ value }) => getText(value) === getText(variable.value))
}

/** Parses a network mode: empty is the default, unknown is `undefined`. */
export function findNetworkMode(text: string): NetworkMode | undefined {
  return text === '' ? dockerDefaults.networkMode : networkModes.find((mode) => mode === text.toLowerCase())
}
