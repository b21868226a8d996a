import { z } from 'zod/mini'
import { isSafeKey, TemplateName } from '../text/names.ts'
import { ServerId } from '../text/server-id.ts'
import { Steps } from './operations.ts'
import { getText, Variables } from './variables.ts'

/** A limit that is the value of a variable. */
export type LimitVariable = `\${${string}}`

export function isLimitVariable(limit: unknown): limit is LimitVariable {
  return typeof limit === 'string' && /^\$\{[^{}$]+\}$/.test(limit)
}

const findNumber = (input: unknown): number | undefined => {
  const limit = Number(input)
  return Number.isFinite(limit) && limit > 0 ? limit : undefined
}

/** A number, also as text, or `${name}`. Missing, zero and other values mean no limit. */
const Limit = z.pipe(
  z.nullish(z.union([z.string(), z.number()])),
  z.transform((input) => {
    const text = typeof input === 'string' ? input.trim() : input
    return isLimitVariable(text) ? text : findNumber(text)
  }),
)

/** Resource limits in a definition. A missing value is unlimited, except for processes, which always have a limit. */
export const LimitSettings = z.looseObject({
  /** MiB, for all processes together. */
  memory: Limit,
  /** Percent of one core: 150 is one and a half cores. */
  cpu: Limit,
  /** Processes and threads. */
  processes: Limit,
  /** MiB of disk space. */
  disk: Limit,
})
export type LimitSettings = z.infer<typeof LimitSettings>

export const limitNames = ['memory', 'cpu', 'processes', 'disk'] as const
export type LimitName = (typeof limitNames)[number]

/** Resource limits with the values of variables, in the units of `LimitSettings`. */
export type ServerLimits = { readonly [name in LimitName]?: number | undefined }

/** How a server runs. `host` and `container` are alternative names in published templates. */
export const Environment = z.looseObject({ type: z.string().check(z.minLength(1)), limits: z.nullish(LimitSettings) })
export type Environment = z.infer<typeof Environment>

export const environmentTypes = ['standard', 'tty', 'docker'] as const
export type EnvironmentType = (typeof environmentTypes)[number]

const environmentNames: Readonly<Record<string, EnvironmentType>> = {
  standard: 'standard',
  tty: 'tty',
  host: 'tty',
  docker: 'docker',
  container: 'docker',
}

/** The environment type by its name or alias; `undefined` for an unknown one. */
export function findEnvironmentType(environment: Environment): EnvironmentType | undefined {
  return Object.hasOwn(environmentNames, environment.type) ? environmentNames[environment.type] : undefined
}

const TextOrNumber = z.union([z.string(), z.number()])

/** Text, or a number as text. */
const LenientText = z.pipe(TextOrNumber, z.transform(String))

/** A number, also as text; empty or non-numeric text is 0, as published templates expect. */
const LenientInteger = z.pipe(
  z.nullish(TextOrNumber),
  z.transform((input) => Math.trunc(Number(input)) || 0),
)

const LenientFlag = z.nullish(
  z.union([
    z.boolean(),
    z.pipe(
      z.string(),
      z.transform((text) => text.toLowerCase() === 'true'),
    ),
  ]),
)

/** One of several commands of a template in the newer format; the first whose `if` is true runs. */
export const ConditionalCommand = z.looseObject({ if: z.nullish(z.string()), command: z.string() })

/** How to start and stop the process of a server, and the steps before and after it. */
export const Run = z.looseObject({
  command: z.nullish(z.union([z.string(), z.array(ConditionalCommand)])),
  /** Older form of `command`. */
  program: z.nullish(z.string()),
  arguments: z.optional(
    z.pipe(
      z.transform((input) => (typeof input === 'string' ? [input] : input)),
      z.nullish(z.array(LenientText)),
    ),
  ),
  /** Text sent to the process's standard input to stop it. */
  stop: z.nullish(z.string()),
  /** Signal that stops the process; takes precedence over `stop` unless 0. */
  stopCode: z.optional(LenientInteger),
  /** Seconds that a stop may take, until what is left after the end of the first process is killed. Default: 30. */
  stopTimeout: z.optional(LenientInteger),
  /** Distance between lines of input in milliseconds, for games that discard all but the first of several. */
  stopDelayMs: z.optional(z.number().check(z.minimum(0))),
  /**
   * The server is online when a line of its output matches this pattern (`pattern.ts`). Without a pattern it is online
   * as soon as it runs.
   */
  readyPattern: z.nullish(z.string()),
  /** Of the console's output and input, see `console-encodings.ts`. Default: UTF-8. */
  encoding: z.nullish(z.string()),
  pre: z.optional(Steps),
  post: z.optional(Steps),
  environmentVars: z.nullish(z.record(z.string().check(z.refine(isSafeKey)), z.nullish(LenientText))),
  /** Relative to the server's folder. */
  workingDirectory: z.nullish(z.string()),
  autostart: LenientFlag,
  autorestart: LenientFlag,
  autorecover: LenientFlag,
  /** Whether it is restarted when it does not respond, see `liveness.ts`. */
  restartWhenNotResponding: LenientFlag,
  /** Minutes without players after which it sleeps, see `sleep.ts`. Missing: it never sleeps. */
  sleepAfterMinutes: z.optional(LenientInteger),
  disabled: LenientFlag,
  /** The exit code of a normal exit. Default: 0. */
  expectedExitCode: z.optional(LenientInteger),
})
export type Run = z.infer<typeof Run>

export const stopTimeout = { default: 30, min: 1, max: 3_600 } as const
const maxStopDelayMs = 10_000

/** Seconds that a stop of this server may take. */
export function getStopTimeout(run: Pick<Run, 'stopTimeout'>): number {
  return run.stopTimeout ? Math.min(stopTimeout.max, Math.max(stopTimeout.min, run.stopTimeout)) : stopTimeout.default
}

/** The distance between lines of input of this server, in milliseconds. */
export function getStopDelayMs(run: Pick<Run, 'stopDelayMs'>): number {
  return Math.min(maxStopDelayMs, Math.max(0, run.stopDelayMs ?? 0))
}

/** What a host must have. `||` separates alternatives: `linux||darwin`. */
export const Requirements = z.looseObject({
  os: z.nullish(z.string()),
  arch: z.nullish(z.string()),
  binaries: z.optional(
    z.pipe(
      z.transform((input) => (typeof input === 'string' ? [input] : input)),
      z.nullish(z.array(z.string())),
    ),
  ),
})
export type Requirements = z.infer<typeof Requirements>

/** A group of variables with a heading, in the settings of a server and when creating one. */
export const VariableGroup = z.looseObject({
  /** A condition, see `conditions.ts`; without one the group is always shown. */
  if: z.nullish(z.string()),
  display: z.nullish(LenientText),
  /** Simple HTML or Markdown, like the description of a variable. */
  description: z.nullish(z.string()),
  /** Variable names; unknown ones are ignored. */
  variables: z.pipe(
    z.transform((input) => (typeof input === 'string' ? [input] : input)),
    z.array(z.string()),
  ),
  /** Sort order, lowest first; missing and non-numeric values count as 0. */
  order: z.pipe(
    z.nullish(TextOrNumber),
    z.transform((input) => (Number.isFinite(Number(input)) ? Number(input) : 0)),
  ),
})
export type VariableGroup = z.infer<typeof VariableGroup>

/** Some published templates have an environment with an empty type: it means the first offered one. */
function hasEmptyType(environment: unknown): boolean {
  return typeof environment === 'object' && environment !== null && 'type' in environment && environment.type === ''
}

/**
 * The definition of a server or template. Parsed leniently: typed values as text, lists as text, missing parts; unknown
 * fields are kept.
 */
export const Definition = z.looseObject({
  /** Category, for example `minecraft-java`. */
  type: z.string().check(z.minLength(1)),
  display: z.nullish(z.string()),
  data: z.pipe(
    z.transform((input) => input ?? {}),
    Variables,
  ),
  /** Parsed by `getGroups`. */
  groups: z.optional(z.unknown()),
  environment: z.optional(
    z.pipe(
      z.transform((input) => (hasEmptyType(input) ? undefined : input)),
      z.nullish(Environment),
    ),
  ),
  supportedEnvironments: z.nullish(z.array(Environment)),
  install: z.optional(Steps),
  uninstall: z.optional(Steps),
  run: z.pipe(
    z.transform((input) => input ?? {}),
    Run,
  ),
  /** Parsed by the task scheduler. */
  tasks: z.nullish(z.record(z.string().check(z.refine(isSafeKey)), z.unknown())),
  requirements: z.nullish(Requirements),
  /** Files that users of the server cannot use, as patterns of a .gitignore; administrators can. */
  deniedFiles: z.nullish(z.array(z.string().check(z.maxLength(500))).check(z.maxLength(200))),
  /** Parsed by `findBackupSettings`. */
  backup: z.optional(z.unknown()),
  /** Parsed by `getPrompts`. */
  prompts: z.optional(z.unknown()),
  /** Parsed by `findGameQuery`. */
  query: z.optional(z.unknown()),
  /** Parsed by `findLiveness`. */
  liveness: z.optional(z.unknown()),
  /** How clients find the game by its name: `{ service: "minecraft", protocol: "tcp" }`. Parsed by `findSrv`. */
  srv: z.optional(z.unknown()),
  /** Parsed by `getPlayerActions` and `getPlayerPatterns`. */
  players: z.optional(z.unknown()),
})
export type Definition = z.infer<typeof Definition>

/** A definition on a node, with the server's ID. */
export const ServerDefinition = z.looseObject({ ...Definition.shape, id: z.optional(ServerId) })
export type ServerDefinition = z.infer<typeof ServerDefinition>

/** A definition with a name and a readme, from which servers are created. */
export const Template = z.looseObject({
  ...Definition.shape,
  /** The storage location decides the name: an invalid name here is ignored. */
  name: z.catch(z.optional(TemplateName), undefined),
  /** Markdown. */
  readme: z.nullish(z.string()),
})
export type Template = z.infer<typeof Template>

/** The environments that a template offers; at least its own, or `standard` when it declares none. */
export function getEnvironments(definition: Definition): readonly Environment[] {
  const offered = definition.supportedEnvironments ?? []
  if (offered.length > 0) return offered
  return [definition.environment ?? { type: 'standard' }]
}

/** The environment of a server: its own, else the first offered one. */
export function getEnvironment(definition: Definition): Environment {
  return definition.environment ?? getEnvironments(definition)[0] ?? { type: 'standard' }
}

/** Whether a server needs a container engine: for its environment, or for a script in a container. */
export function needsContainers(
  definition: Definition,
  environment: Environment = getEnvironment(definition),
): boolean {
  const { install, uninstall, run } = definition
  const steps = [install, uninstall, run.pre, run.post].flatMap((list) => list ?? [])
  return findEnvironmentType(environment) === 'docker' || steps.some((step) => step.type === 'dockerrun' && !step.if)
}

/**
 * The limits of an environment with the values of variables. A memory limit that is a variable is raised by 5 to 15 %:
 * the program gets the same number as its own limit, and Java needs more than its heap.
 */
export function getLimits({ limits }: Environment, data: Variables): ServerLimits {
  const findLimit = (name: LimitName) => {
    const limit = limits?.[name]
    if (!isLimitVariable(limit)) return limit
    const variable = limit.slice(2, -1)
    const value = findNumber(getText(Object.hasOwn(data, variable) ? data[variable]?.value : undefined))
    return name === 'memory' && value !== undefined ? Math.ceil(value * getOverhead(value)) : value
  }
  return Object.fromEntries(
    limitNames.flatMap((name) => {
      const value = findLimit(name)
      return value === undefined ? [] : [[name, value]]
    }),
  )
}

const getOverhead = (memory: number): number => (memory <= 2048 ? 1.15 : memory <= 4096 ? 1.1 : 1.05)

/** The variable groups, sorted; invalid ones are omitted. */
export function getGroups({ groups }: { readonly groups?: unknown }): readonly VariableGroup[] {
  const list: readonly unknown[] = Array.isArray(groups) ? groups : []
  return list.flatMap((group) => VariableGroup.safeParse(group).data ?? []).toSorted((a, b) => a.order - b.order)
}

/**
 * Whether the definition uses features of the newer template format: conditions or a list of commands. A failing
 * `command` step ends the list in this format, but not in the older one.
 */
export function usesConditions({ run, install, uninstall }: Definition): boolean {
  const steps = [install, uninstall, run.pre, run.post].flatMap((list) => list ?? [])
  return Array.isArray(run.command) || steps.some((step) => typeof step.if === 'string' && step.if.trim() !== '')
}

/**
 * The command line that starts the server; the older `program` and `arguments` are joined. From a list it takes the
 * first entry without a condition, as conditions are not evaluated here.
 */
export function getCommand(run: Run): string {
  if (typeof run.command === 'string' && run.command !== '') return run.command
  if (Array.isArray(run.command)) return run.command.find((entry) => !entry.if)?.command ?? ''
  return [run.program ?? '', ...(run.arguments ?? [])].join(' ').trim()
}

/** The pattern of the output line after which the server is ready; `undefined` when a running process is enough. */
export function findReadyPattern({ readyPattern }: Pick<Run, 'readyPattern'>): string | undefined {
  return readyPattern?.trim() ? readyPattern : undefined
}
