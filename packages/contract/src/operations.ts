import { z } from 'zod'
import { escapeFormats } from './escape.ts'
import { isOrdinaryKey } from './names.ts'
import type { ServerRight } from './permissions.ts'

/** One step of an install, pre, post or task list: `type` chooses what runs, its fields stand beside it. */
export const Step = z.looseObject({ type: z.string().min(1) })
export type Step = z.infer<typeof Step>

/** A list; a single text stands for a list of one, nothing for none. */
const Lines = z.preprocess((given) => (typeof given === 'string' ? [given] : (given ?? [])), z.array(z.string()))

/** Blanks separate the addresses of a `files` text; an address has none of its own. */
const Addresses = z.preprocess(
  (given) => (typeof given === 'string' ? given.split(/\s+/).filter(Boolean) : (given ?? [])),
  z.array(z.string().min(1)),
)

const Flag = z.union([z.boolean(), z.enum(['true', 'false']).transform((text) => text === 'true')])

/** Text, or a number as its digits. */
const Word = z.union([z.string(), z.number()]).transform(String)

/** A word that may be missing, which is the same as empty. */
const Optional = Word.nullish().transform((given) => given ?? '')

/** A word that stands for another one when it is missing or empty. */
const wordOr = (otherwise: string) => Optional.transform((given) => (given === '' ? otherwise : given))

/** Words of an argument list: a single text is split at blanks. */
const Words = z.preprocess(
  (given) => (typeof given === 'string' ? given.split(/\s+/).filter(Boolean) : (given ?? [])),
  z.array(Word),
)

/** How the values of variables are escaped in what a step writes; missing or empty: they are written as they are. */
const EscapeName = z.union([z.enum(escapeFormats), z.literal('')]).nullish()

/** What a `power` step does. `restart` starts a server that is not running. */
export const powerActions = ['start', 'stop', 'restart', 'kill'] as const
export type PowerAction = (typeof powerActions)[number]

/** The name of the variable that a step sets; see `outputVariable` of each. */
const Output = (otherwise: string) => wordOr(otherwise).refine((name) => isOrdinaryKey(name) && !/\s/.test(name))

/** What Forge and NeoForge are chosen by: a whole version, or the newest one for a version of Minecraft. */
const loaderVersion = { version: Optional, minecraftVersion: Optional }

/** The fields of the steps that a node knows, by type, as they stand after variables were filled in. */
export const stepFields = {
  download: z.looseObject({ files: Addresses }),
  /** `stopOnError` makes a non-zero exit code end the list; without it the code is shown and the list goes on. */
  command: z.looseObject({ commands: Lines, stopOnError: Flag.default(false) }),
  writefile: z.looseObject({ target: z.string().min(1), text: z.string().default(''), escape: EscapeName }),
  alterfile: z.looseObject({
    file: z.string().min(1),
    search: z.string().min(1),
    replace: z.string().default(''),
    regex: Flag.default(true),
    escape: EscapeName,
  }),
  /** `source` may hold `*` and `?`. */
  move: z.looseObject({ source: z.string().min(1), target: z.string().min(1) }),
  mkdir: z.looseObject({ target: z.string().min(1) }),
  /** The kind of archive follows from the name of `destination`. */
  archive: z.looseObject({ source: Lines.pipe(z.array(z.string().min(1)).min(1)), destination: z.string().min(1) }),
  /** `destination` is a folder that is there; without it the server's folder. */
  extract: z.looseObject({ source: z.string().min(1), destination: z.string().default('') }),
  /** `90s`, `1m30s`, `1.5h`; a bare number counts nanoseconds. */
  sleep: z.looseObject({ duration: Word }),
  /** Prints the message on the console; the server does not see it. */
  console: z.looseObject({ message: Optional }),
  /** Types a line into the running server. */
  stdin: z.looseObject({ command: z.string().min(1) }),
  /** Of tasks alone. With `wait` the next step follows when it is done: the server is up, or has ended. */
  power: z.looseObject({ action: z.enum(powerActions), wait: Flag.default(true) }),

  /** `release` and `latest` are the newest release, `snapshot` the newest of all; else an id as `1.21.1`. */
  mojangdl: z.looseObject({ version: wordOr('release'), target: wordOr('server.jar') }),
  /** The installer; the target has two names. `outputVariable` gets the version that was chosen. */
  forgedl: z.looseObject({
    ...loaderVersion,
    target: Optional,
    filename: Optional,
    outputVariable: Output('opForgeVersion'),
  }),
  neoforgedl: z.looseObject({
    ...loaderVersion,
    target: wordOr('neoforge-installer.jar'),
    outputVariable: Output('opNeoForgeVersion'),
  }),
  /** Looks for the newest one that is installed; `minecraftVersion` narrows it. */
  resolveforgeversion: z.looseObject({ ...loaderVersion, outputVariable: Output('opForgeVersion') }),
  resolveneoforgeversion: z.looseObject({ ...loaderVersion, outputVariable: Output('opNeoForgeVersion') }),
  /** `latest`, or anything else for the recommended one. */
  spongeforgedl: z.looseObject({ releaseType: wordOr('recommended') }),
  spongedl: z.looseObject({
    recommended: Flag.default(true),
    spongeType: z.enum(['spongeforge', 'spongevanilla']).default('spongevanilla'),
    spongeVersion: Optional,
    minecraftVersion: Optional,
  }),
  fabricdl: z.looseObject({ targetFile: Optional, target: Optional }),
  paperdl: z.looseObject({
    project: wordOr('paper'),
    minecraftVersion: wordOr('latest'),
    build: wordOr('latest'),
    target: wordOr('server.jar'),
  }),
  /** `fileId` empty or 0: the newest release. `java` runs installers. */
  curseforge: z.looseObject({ projectId: Word.pipe(z.string().min(1)), fileId: Optional, java: wordOr('java') }),
  /** A major version; kept on the node and on the server's PATH as `java21` and `javac21`. */
  javadl: z.looseObject({ version: Word.pipe(z.string().regex(/^\s*\d{1,3}\s*$/)) }),
  /** A major version; kept on the node and on the server's PATH as `node22` and `npm22`. */
  nodejsdl: z.looseObject({ version: Word.pipe(z.string().regex(/^\s*\d{1,3}\s*$/)) }),
  /** Without a user name a game is fetched without logging in. */
  steamgamedl: z.looseObject({
    appId: Word.pipe(z.string().regex(/^\s*\d{1,10}\s*$/)),
    username: Optional,
    password: Optional,
    branch: Optional,
    branchPassword: Optional,
    extraArgs: Words,
  }),
  /** Fetches an image anew; nothing outside containers. */
  dockerpull: z.looseObject({ imageName: Optional }),
} as const
export type StepType = keyof typeof stepFields
export type StepFields<T extends StepType> = z.output<(typeof stepFields)[T]>

export function isStepType(type: string): type is StepType {
  return Object.hasOwn(stepFields, type)
}

/** The fields without which a step of a type does nothing; a blank text is as good as none. */
const requiredFields: Readonly<Partial<Record<StepType, readonly string[]>>> = {
  download: ['files'],
  command: ['commands'],
  writefile: ['target'],
  alterfile: ['file', 'search'],
  move: ['source', 'target'],
  mkdir: ['target'],
  archive: ['source', 'destination'],
  extract: ['source'],
  sleep: ['duration'],
  stdin: ['command'],
  power: ['action'],
  curseforge: ['projectId'],
  javadl: ['version'],
  nodejsdl: ['version'],
  steamgamedl: ['appId'],
}

export function isRequiredField(type: StepType, field: string): boolean {
  return requiredFields[type]?.includes(field) === true
}

export interface StepIssue {
  readonly field: string
  readonly problem: 'missing' | 'wrong'
}

/**
 * What is missing or wrong in a step before its variables are filled in: a value with a variable in it is not judged. A
 * step of an unknown type has no known fields, and so no issues.
 */
export function issuesOfStep(step: Step): readonly StepIssue[] {
  const { type } = step
  if (!isStepType(type)) return []
  const missing = (requiredFields[type] ?? []).filter((field) => isBlankValue(step[field]))
  const read = stepFields[type].safeParse(step)
  const wrong = new Set(read.success ? [] : read.error.issues.map(({ path }) => String(path[0])))
  return [
    ...missing.map((field): StepIssue => ({ field, problem: 'missing' })),
    ...[...wrong]
      .filter((field) => !missing.includes(field) && !JSON.stringify(step[field])?.includes('${'))
      .map((field): StepIssue => ({ field, problem: 'wrong' })),
  ]
}

function isBlankValue(value: unknown): boolean {
  if (Array.isArray(value)) return value.every(isBlankValue)
  return value === undefined || value === null || (typeof value === 'string' && value.trim() === '')
}

/** Steps as lists hold them: a missing list is empty. */
export const Steps = z.preprocess((given) => given ?? [], z.array(Step))

/** The types that a step list may hold at all, in the order in which people are offered them. */
export const stepTypes = Object.keys(stepFields) as readonly StepType[]

const filesRight = 'putServerFiles'

/** What somebody must be allowed to do by hand for a task of theirs to do it. */
const rightOfStepType: { readonly [T in Exclude<StepType, 'power'>]: ServerRight } = {
  sleep: 'viewServer',
  console: 'viewServer',
  stdin: 'sendServerConsole',
  download: filesRight,
  writefile: filesRight,
  alterfile: filesRight,
  move: filesRight,
  mkdir: filesRight,
  archive: filesRight,
  extract: filesRight,
  mojangdl: filesRight,
  forgedl: filesRight,
  neoforgedl: filesRight,
  spongeforgedl: filesRight,
  spongedl: filesRight,
  fabricdl: filesRight,
  paperdl: filesRight,
  resolveforgeversion: 'editServerData',
  resolveneoforgeversion: 'editServerData',
  // What runs programs, or changes the node, only administrators can do by hand: in a definition.
  command: 'admin',
  curseforge: 'admin',
  steamgamedl: 'admin',
  javadl: 'admin',
  nodejsdl: 'admin',
  dockerpull: 'admin',
}

const rightOfPower: Readonly<Record<PowerAction, ServerRight>> = {
  start: 'startServer',
  restart: 'startServer',
  stop: 'stopServer',
  kill: 'stopServer',
}

/** The right that a step of a task needs; `admin` for one that we do not know, and for setting any variable at will. */
export function rightOfStep(step: Step): ServerRight {
  if (!isStepType(step.type) || setsOtherVariable(step.type, step)) return 'admin'
  if (step.type !== 'power') return rightOfStepType[step.type]
  const action = powerActions.find((known) => known === step.action)
  return action ? rightOfPower[action] : 'admin'
}

/** Whether a step sets another variable than it does by itself: definitions use them where users may not reach. */
function setsOtherVariable(type: StepType, { outputVariable }: Step): boolean {
  const { shape } = stepFields[type]
  if (outputVariable === undefined || !('outputVariable' in shape)) return false
  const read = shape.outputVariable.safeParse(outputVariable)
  return !read.success || read.data !== shape.outputVariable.parse(undefined)
}
