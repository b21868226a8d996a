import { z } from 'zod'
import { isOrdinaryKey, ServerId, TemplateName } from './names.ts'
import { Steps } from './operations.ts'
import { Variables } from './variables.ts'

/** A number that may come as text; nothing, zero and what is no number mean no limit. */
const Limit = z
  .union([z.string(), z.number()])
  .nullish()
  .transform((given) => {
    const limit = Number(given)
    return Number.isFinite(limit) && limit > 0 ? limit : undefined
  })

/** What a server may use at most; what is missing is not limited, except that nothing may fork without end. */
export const ServerLimits = z.looseObject({
  /** MiB, of all its processes together. */
  memory: Limit,
  /** Percent of one core: 150 is one and a half. */
  cpu: Limit,
  /** Processes and threads. */
  processes: Limit,
  /** MiB that its files may take up. */
  disk: Limit,
})
export type ServerLimits = z.infer<typeof ServerLimits>

/** Where a server runs. `host` and `container` are other names that published templates use. */
export const Environment = z.looseObject({ type: z.string().min(1), limits: ServerLimits.nullish() })
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

/** The kind of environment that a type names; `undefined` for one we do not know. */
export function environmentTypeOf(environment: Environment): EnvironmentType | undefined {
  return Object.hasOwn(environmentNames, environment.type) ? environmentNames[environment.type] : undefined
}

const TextOrNumber = z.union([z.string(), z.number()])

/** Text as given, a number as its digits. */
const LenientText = TextOrNumber.transform(String)

/** A number, or the digits of one; empty and unreadable text is 0, as published templates expect. */
const LenientInteger = TextOrNumber.nullish().transform((given) => Math.trunc(Number(given)) || 0)

const LenientFlag = z.union([z.boolean(), z.string().transform((text) => text.toLowerCase() === 'true')]).nullish()

/** One of several commands of a newer template; the first whose `if` holds runs. */
export const ConditionalCommand = z.looseObject({ if: z.string().nullish(), command: z.string() })

/** What starts, stops and surrounds the process of a server. */
export const Run = z.looseObject({
  command: z.union([z.string(), z.array(ConditionalCommand)]).nullish(),
  /** Older form of `command`. */
  program: z.string().nullish(),
  arguments: z.preprocess((given) => (typeof given === 'string' ? [given] : given), z.array(LenientText).nullish()),
  /** Text typed into the process to stop it. */
  stop: z.string().nullish(),
  /** Signal that stops it; wins over `stop` when not 0. */
  stopCode: LenientInteger.optional(),
  /** What a line of its output has to fit before it counts as online (`pattern.ts`); without, it does once it runs. */
  readyPattern: z.string().nullish(),
  pre: Steps.optional(),
  post: Steps.optional(),
  environmentVars: z.record(z.string().refine(isOrdinaryKey), LenientText.nullish()).nullish(),
  /** Below the server's folder. */
  workingDirectory: z.string().nullish(),
  autostart: LenientFlag,
  autorestart: LenientFlag,
  autorecover: LenientFlag,
  disabled: LenientFlag,
  /** The exit code that counts as a normal end; 0 unless said. */
  expectedExitCode: LenientInteger.optional(),
})
export type Run = z.infer<typeof Run>

/** `linux||darwin`: alternatives behind `||`. */
export const Requirements = z.looseObject({
  os: z.string().nullish(),
  arch: z.string().nullish(),
  binaries: z.preprocess((given) => (typeof given === 'string' ? [given] : given), z.array(z.string()).nullish()),
})
export type Requirements = z.infer<typeof Requirements>

/** Some variables under a heading, on the settings of a server and where one is made. */
export const VariableGroup = z.looseObject({
  /** A condition, see `conditions.ts`; without one the group is always there. */
  if: z.string().nullish(),
  display: LenientText.nullish(),
  /** Simple HTML or markdown, as what describes a variable. */
  description: z.string().nullish(),
  /** Names; one that no variable has is passed over. */
  variables: z.preprocess((given) => (typeof given === 'string' ? [given] : given), z.array(z.string())),
  /** Lower ones come first; nothing and what is no number count as 0. */
  order: TextOrNumber.nullish().transform((given) => (Number.isFinite(Number(given)) ? Number(given) : 0)),
})
export type VariableGroup = z.infer<typeof VariableGroup>

/** Some published templates have an environment with an empty type: they mean the first one they offer. */
function namesNone(environment: unknown): boolean {
  return typeof environment === 'object' && environment !== null && 'type' in environment && environment.type === ''
}

/**
 * What a server is, or what a template makes one of. Read leniently: typed values as text, lists as one text, missing
 * parts; fields we do not know stay where they are.
 */
export const Definition = z.looseObject({
  /** Category, for example `minecraft-java`. */
  type: z.string().min(1),
  display: z.string().nullish(),
  data: z.preprocess((given) => given ?? {}, Variables),
  /** Kept whole here; `groupsOf` reads them. */
  groups: z.unknown().optional(),
  environment: z.preprocess((given) => (namesNone(given) ? undefined : given), Environment.nullish()),
  supportedEnvironments: z.array(Environment).nullish(),
  install: Steps.optional(),
  uninstall: Steps.optional(),
  run: z.preprocess((given) => given ?? {}, Run),
  /** Kept whole here; scheduled tasks read them. */
  tasks: z.record(z.string().refine(isOrdinaryKey), z.unknown()).nullish(),
  requirements: Requirements.nullish(),
})
export type Definition = z.infer<typeof Definition>

/** A definition as a node holds it: with the server's id. */
export const ServerDefinition = z.looseObject({ ...Definition.shape, id: ServerId.optional() })
export type ServerDefinition = z.infer<typeof ServerDefinition>

/** A definition with a name and a readme, to make servers of. */
export const Template = z.looseObject({
  ...Definition.shape,
  /** Where it is kept decides what it is called: a name of another kind in it is passed over. */
  name: TemplateName.optional().catch(undefined),
  /** Markdown. */
  readme: z.string().nullish(),
})
export type Template = z.infer<typeof Template>

/** The environments a template offers; at least its own, or `standard` when it names none. */
export function environmentsOf(definition: Definition): readonly Environment[] {
  const offered = definition.supportedEnvironments ?? []
  if (offered.length > 0) return offered
  return [definition.environment ?? { type: 'standard' }]
}

/** The environment it runs in: its own, else the first it offers. */
export function environmentOf(definition: Definition): Environment {
  return definition.environment ?? environmentsOf(definition)[0] ?? { type: 'standard' }
}

/** Its groups of variables in their order; those that cannot be read are left out. */
export function groupsOf({ groups }: { readonly groups?: unknown }): readonly VariableGroup[] {
  const given: readonly unknown[] = Array.isArray(groups) ? groups : []
  return given
    .flatMap((group) => VariableGroup.safeParse(group).data ?? [])
    .toSorted((one, other) => one.order - other.order)
}

/**
 * Whether it uses what only newer templates have: conditions or a list of commands. Their failing `command` steps end
 * a list; those of older templates do not.
 */
export function isOfNewerFamily({ run, install, uninstall }: Definition): boolean {
  const steps = [install, uninstall, run.pre, run.post].flatMap((list) => list ?? [])
  return Array.isArray(run.command) || steps.some((step) => typeof step.if === 'string' && step.if.trim() !== '')
}

/**
 * The command line that starts the server; older `program` and `arguments` are joined. Of a list, the first entry
 * without a condition: conditions are not judged here.
 */
export function commandOf(run: Run): string {
  if (typeof run.command === 'string' && run.command !== '') return run.command
  if (Array.isArray(run.command)) return run.command.find((entry) => !entry.if)?.command ?? ''
  return [run.program ?? '', ...(run.arguments ?? [])].join(' ').trim()
}

/** The pattern of the line that says that the server is ready; `undefined` where that it runs is enough. */
export function readyPatternOf({ readyPattern }: Pick<Run, 'readyPattern'>): string | undefined {
  return readyPattern?.trim() ? readyPattern : undefined
}
