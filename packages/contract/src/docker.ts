import { z } from 'zod/mini'
import type { Environment } from './definition.ts'
import { isSafeKey } from './names.ts'
import { textOf, typeOf, type Variable } from './variables.ts'

export const networkModes = ['bridge', 'host', 'overlay', 'macvlan', 'none'] as const
export type NetworkMode = (typeof networkModes)[number]

export const dockerDefaults = { image: 'debian:stable-slim', networkMode: 'host' } as const

/** Path of the server's folder in a container; published templates use it. */
export const containerRoot = '/pufferpanel'

const LenientText = z.pipe(
  z.nullish(z.string()),
  z.transform((input) => input?.trim() ?? ''),
)

/** A list; a single text is a list of one. */
const Lines = z.pipe(
  z.transform((input) => (typeof input === 'string' ? [input] : (input ?? []))),
  z.array(z.string()),
)

/** Fields of a container environment besides its type. Parsed leniently; unknown fields are kept. */
export const DockerFields = z.looseObject({
  /** May contain `${name}`. */
  image: LenientText,
  /** One of `networkModes`; empty is the default. */
  networkMode: LenientText,
  /** May contain `${name}`. */
  networkName: LenientText,
  /** Bind mounts: paths of the node to paths in the container. */
  bindings: z.pipe(
    z.transform((input) => input ?? {}),
    z.record(z.string().check(z.refine(isSafeKey)), z.string()),
  ),
  /** `host:outside:inside/protocol`; may contain `${name}`. */
  portBindings: Lines,
  /** Additional container labels; may contain `${name}`. */
  labels: z.pipe(
    z.transform((input) => input ?? {}),
    z.record(z.string().check(z.refine(isSafeKey)), z.coerce.string()),
  ),
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
export function dockerFieldsOf(environment: Environment): DockerFields {
  const whole = DockerFields.safeParse(environment)
  if (whole.success) return whole.data
  const { shape } = DockerFields
  return {
    image: z.catch(shape.image, '').parse(environment.image),
    networkMode: z.catch(shape.networkMode, '').parse(environment.networkMode),
    networkName: z.catch(shape.networkName, '').parse(environment.networkName),
    bindings: z.catch(shape.bindings, {}).parse(environment.bindings),
    portBindings: z.catch(shape.portBindings, []).parse(environment.portBindings),
    labels: z.catch(shape.labels, {}).parse(environment.labels),
    resources: z.catch(shape.resources, {}).parse(environment.resources),
  }
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
  const { image, networkName } = dockerFieldsOf(environment)
  return [splitImage(image).name, networkName].flatMap(variablesIn)
}

/** Whether a variable's value is one of its options. */
export function isOption(variable: Variable): boolean {
  const options = typeOf(variable) === 'option' ? (variable.options ?? []) : []
  return options.some(({ value }) => textOf(value) === textOf(variable.value))
}

/** Parses a network mode: empty is the default, unknown is `undefined`. */
export function networkModeOf(text: string): NetworkMode | undefined {
  return text === '' ? dockerDefaults.networkMode : networkModes.find((mode) => mode === text.toLowerCase())
}
