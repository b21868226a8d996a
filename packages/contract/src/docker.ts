import { z } from 'zod'
import type { Environment } from './definition.ts'
import { isOrdinaryKey } from './names.ts'
import { textOf, typeOf, type Variable } from './variables.ts'

export const networkModes = ['bridge', 'host', 'overlay', 'macvlan', 'none'] as const
export type NetworkMode = (typeof networkModes)[number]

export const dockerDefaults = { image: 'debian:stable-slim', networkMode: 'host' } as const

/** Where a container has the server's folder: published templates name it. */
export const containerRoot = '/pufferpanel'

const LenientText = z
  .string()
  .nullish()
  .transform((given) => given?.trim() ?? '')

/** A list; a single text is a list of one. */
const Lines = z.preprocess((given) => (typeof given === 'string' ? [given] : (given ?? [])), z.array(z.string()))

/** What the environment of a container says beside its type. Read leniently; what we do not know stays. */
export const DockerFields = z.looseObject({
  /** May hold `${name}`. */
  image: LenientText,
  /** One of `networkModes`; empty is the default. */
  networkMode: LenientText,
  /** May hold `${name}`. */
  networkName: LenientText,
  /** Paths of the node, each with the path under which the container sees it. */
  bindings: z.preprocess((given) => given ?? {}, z.record(z.string().refine(isOrdinaryKey), z.string())),
  /** `host:outside:inside/protocol`; may hold `${name}`. */
  portBindings: Lines,
  /** More labels for the container; may hold `${name}`. */
  labels: z.preprocess((given) => given ?? {}, z.record(z.string().refine(isOrdinaryKey), z.coerce.string())),
  /** As the engine's API has them: see `resourceNames`. `limits` of the environment come first. */
  resources: z.preprocess((given) => given ?? {}, z.record(z.string(), z.unknown())),
})
export type DockerFields = z.infer<typeof DockerFields>

/** What an engine calls the resources of a container; nothing else of its settings can be given so. */
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

/** The fields of an environment for a form: those that cannot be read are as if they were not there. */
export function dockerFieldsOf(environment: Environment): DockerFields {
  const whole = DockerFields.safeParse(environment)
  if (whole.success) return whole.data
  const { shape } = DockerFields
  return {
    image: shape.image.catch('').parse(environment.image),
    networkMode: shape.networkMode.catch('').parse(environment.networkMode),
    networkName: shape.networkName.catch('').parse(environment.networkName),
    bindings: shape.bindings.catch({}).parse(environment.bindings),
    portBindings: shape.portBindings.catch([]).parse(environment.portBindings),
    labels: shape.labels.catch({}).parse(environment.labels),
    resources: shape.resources.catch({}).parse(environment.resources),
  }
}

/** The name of an image apart from its tag, which may be missing. Variables are not filled in. */
export function partsOfImage(image: string): { readonly name: string; readonly tag: string | undefined } {
  const masked = image.replace(/\$\{[^{}$]*\}/g, (variable) => 'x'.repeat(variable.length))
  const at = image.includes('@') ? -1 : masked.search(/:[^/:]*$/)
  return at < 0 ? { name: image, tag: undefined } : { name: image.slice(0, at), tag: image.slice(at + 1) }
}

/** The variables that a text names. */
export function variablesIn(text: string): string[] {
  return [...text.matchAll(/\$\{([^{}$]+)\}/g)].map(([, name = '']) => name)
}

/**
 * The variables that decide which image and network a container gets. Those are administrators' matter: others fill such
 * a variable in only where it is a choice from options. A tag is no other image, but another version of one.
 */
export function guardedVariables(environment: Environment): string[] {
  const { image, networkName } = dockerFieldsOf(environment)
  return [partsOfImage(image).name, networkName].flatMap(variablesIn)
}

/** Whether a variable's value is one of its options. */
export function isChoice(variable: Variable): boolean {
  const options = typeOf(variable) === 'option' ? (variable.options ?? []) : []
  return options.some(({ value }) => textOf(value) === textOf(variable.value))
}

/** The network mode that a text names; empty is the default, an unknown one `undefined`. */
export function networkModeOf(text: string): NetworkMode | undefined {
  return text === '' ? dockerDefaults.networkMode : networkModes.find((mode) => mode === text.toLowerCase())
}
