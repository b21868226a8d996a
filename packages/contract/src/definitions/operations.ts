import { z } from 'zod/mini'
import type { RequiredPermission } from '../api/permissions.ts'
import { escapeFormats } from '../text/escape.ts'
import { Flag } from '../text/flag.ts'
import { isSafeKey } from '../text/names.ts'
import { normalizePath } from './container-path.ts'
import { CountdownMinutes, defaultCountdownMessage } from './countdown.ts'

/**
 * A step of an install, pre, post or task list: `type` selects the operation, its fields are beside it. With
 * `continueOnError: true` its failure does not end the list.
 */
export const Step = z.looseObject({ type: z.string().check(z.minLength(1)) })
export type Step = z.infer<typeof Step>

/** A list; a single text is a list of one, nothing is an empty list. */
const Lines = z.pipe(
  z.transform((input) => (typeof input === 'string' ? [input] : (input ?? []))),
  z.array(z.string()),
)

/** In a `files` text, whitespace separates URLs; a URL contains none. */
const Urls = z.pipe(
  z.transform((input) => (typeof input === 'string' ? input.split(/\s+/).filter(Boolean) : (input ?? []))),
  z.array(z.string().check(z.minLength(1))),
)

/** Text, or a number as its digits. */
const OptionalText = z.pipe(z.union([z.string(), z.number()]), z.transform(String))

/** Optional text; missing is the same as empty. */
const Optional = z.pipe(
  z.nullish(OptionalText),
  z.transform((input) => input ?? ''),
)

/** Text with a default for missing or empty. */
const textOr = (otherwise: string) =>
  z.pipe(
    Optional,
    z.transform((input) => (input === '' ? otherwise : input)),
  )

/** An argument list: a single text is split at whitespace. */
const ArgumentList = z.pipe(
  z.transform((input) => (typeof input === 'string' ? input.split(/\s+/).filter(Boolean) : (input ?? []))),
  z.array(OptionalText),
)

/** How variable values are escaped in text that a step writes; missing or empty: not escaped. */
const EscapeName = z.nullish(z.union([z.enum(escapeFormats), z.literal('')]))

/** Actions of a `power` step. `restart` starts a server that is not running. */
export const powerActions = ['start', 'stop', 'restart', 'kill'] as const
export type PowerAction = (typeof powerActions)[number]

/** The variable that a step sets; see `outputVariable` of each step. */
const Output = (otherwise: string) => textOr(otherwise).check(z.refine((name) => isSafeKey(name) && !/\s/.test(name)))

/** Version of Forge and NeoForge: an exact version, or the newest for a version of Minecraft. */
const loaderVersion = { version: Optional, minecraftVersion: Optional }

const isFilled = (text: string): boolean => text.trim() !== ''

/** A path in a container that hides nothing that a program needs. */
const isMountPoint = (path: string): boolean =>
  /^\/[^\x00-\x1f\x7f:]+$/.test(path) &&
  !/^\/(?:bin|dev|etc|lib|lib64|proc|sbin|sys|usr)?(?:\/|$)/.test(normalizePath(path))

/** Formats of an `editconfig` step. In `file`, a path is the beginning of a line and the value the whole new line. */
export const configFileFormats = ['properties', 'ini', 'json', 'yaml', 'toml', 'xml', 'file'] as const
export type ConfigFileFormat = (typeof configFileFormats)[number]

const ConfigChange = z.looseObject({
  path: z.string().check(z.minLength(1), z.maxLength(1_000)),
  value: z.nullable(z.union([z.string(), z.number(), z.boolean()])),
  when: z.optional(z.string().check(z.maxLength(1_000))),
})

/** The fields of the known steps, by type, after variables are filled in. */
export const stepFields = {
  download: z.looseObject({ files: Urls }),
  /** With `stopOnError` a non-zero exit code ends the list; without it the code is printed and the list continues. */
  command: z.looseObject({ commands: Lines, stopOnError: z._default(Flag, false) }),
  writefile: z.looseObject({
    target: z.string().check(z.minLength(1)),
    text: z._default(z.string(), ''),
    escape: EscapeName,
  }),
  alterfile: z.looseObject({
    file: z.string().check(z.minLength(1)),
    search: z.string().check(z.minLength(1)),
    replace: z._default(z.string(), ''),
    regex: z._default(Flag, true),
    escape: EscapeName,
  }),
  /**
   * Sets values in a configuration file and keeps everything else; missing files and values are added. With `when` only
   * where the value was this text, or matches the pattern after `regex:`.
   */
  editconfig: z.looseObject({
    file: z.string().check(z.minLength(1)),
    format: z.enum(configFileFormats),
    changes: z.array(ConfigChange).check(z.maxLength(1_000)),
  }),
  /** `source` may contain `*` and `?`. */
  move: z.looseObject({ source: z.string().check(z.minLength(1)), target: z.string().check(z.minLength(1)) }),
  mkdir: z.looseObject({ target: z.string().check(z.minLength(1)) }),
  /** The archive format follows from the name of `destination`. */
  archive: z.looseObject({
    source: z.pipe(Lines, z.array(z.string().check(z.minLength(1))).check(z.minLength(1))),
    destination: z.string().check(z.minLength(1)),
  }),
  /** `destination` is an existing folder. Default: the server's folder. */
  extract: z.looseObject({ source: z.string().check(z.minLength(1)), destination: z._default(z.string(), '') }),
  /** `90s`, `1m30s`, `1.5h`; a plain number is in nanoseconds. */
  sleep: z.looseObject({ duration: OptionalText }),
  /** Prints the message on the console; the server does not receive it. */
  console: z.looseObject({ message: Optional }),
  /** Sends a line to the standard input of the running server. */
  stdin: z.looseObject({ command: z.string().check(z.minLength(1)) }),
  /** Only in tasks. With `wait` the next step follows when the server is up, or has stopped. */
  power: z.looseObject({ action: z.enum(powerActions), wait: z._default(Flag, true) }),
  /**
   * Only in tasks. Sends a message to all players at each of these minutes before its end, with `{minutes}` in it. Ends
   * at once while nobody plays.
   */
  countdown: z.looseObject({ minutes: CountdownMinutes, message: textOr(defaultCountdownMessage) }),
  /**
   * Only in tasks. Creates a backup of the server and waits for it. Without a name it has that of the task. With `verify`
   * some of it is restored for a test.
   */
  backup: z.looseObject({ name: Optional, verify: z._default(Flag, true) }),

  /** `release` and `latest`: the newest release; `snapshot`: the newest version; else an ID like `1.21.1`. */
  mojangdl: z.looseObject({ version: textOr('release'), target: textOr('server.jar') }),
  /**
   * Downloads the installer; the target file has two alternative field names. `outputVariable` is set to the selected
   * version.
   */
  forgedl: z.looseObject({
    ...loaderVersion,
    target: Optional,
    filename: Optional,
    outputVariable: Output('opForgeVersion'),
  }),
  neoforgedl: z.looseObject({
    ...loaderVersion,
    target: textOr('neoforge-installer.jar'),
    outputVariable: Output('opNeoForgeVersion'),
  }),
  /** Finds the newest installed version; `minecraftVersion` narrows the search. */
  resolveforgeversion: z.looseObject({ ...loaderVersion, outputVariable: Output('opForgeVersion') }),
  resolveneoforgeversion: z.looseObject({ ...loaderVersion, outputVariable: Output('opNeoForgeVersion') }),
  /** `latest`; any other value is the recommended version. */
  spongeforgedl: z.looseObject({ releaseType: textOr('recommended') }),
  spongedl: z.looseObject({
    recommended: z._default(Flag, true),
    spongeType: z._default(z.enum(['spongeforge', 'spongevanilla']), 'spongevanilla'),
    spongeVersion: Optional,
    minecraftVersion: Optional,
  }),
  fabricdl: z.looseObject({ targetFile: Optional, target: Optional }),
  paperdl: z.looseObject({
    project: textOr('paper'),
    minecraftVersion: textOr('latest'),
    build: textOr('latest'),
    target: textOr('server.jar'),
  }),
  /** `fileId` empty or 0: the newest release. `java` runs installers. */
  curseforge: z.looseObject({
    projectId: z.pipe(OptionalText, z.string().check(z.minLength(1))),
    fileId: Optional,
    java: textOr('java'),
  }),
  /** A major version; installed on the node and added to the server's PATH as `java21` and `javac21`. */
  javadl: z.looseObject({ version: z.pipe(OptionalText, z.string().check(z.regex(/^\s*\d{1,3}\s*$/))) }),
  /** A major version; installed on the node and added to the server's PATH as `node22` and `npm22`. */
  nodejsdl: z.looseObject({ version: z.pipe(OptionalText, z.string().check(z.regex(/^\s*\d{1,3}\s*$/))) }),
  /** Without a user name the game is downloaded anonymously. */
  steamgamedl: z.looseObject({
    appId: z.pipe(OptionalText, z.string().check(z.regex(/^\s*\d{1,10}\s*$/))),
    username: Optional,
    password: Optional,
    branch: Optional,
    branchPassword: Optional,
    extraArgs: ArgumentList,
  }),
  /** Pulls an image; does nothing outside containers. */
  dockerpull: z.looseObject({ imageName: Optional }),
  /**
   * Runs a script as root of a container of its own, with the server's folder at `mount`. `entrypoint` is its shell:
   * `bash`, `ash`, `sh` or a path. `timeout` is in seconds. Variables are filled in everywhere but in the script, which
   * finds those of the server in its environment.
   */
  dockerrun: z.looseObject({
    image: z.string().check(z.refine(isFilled)),
    entrypoint: textOr('bash'),
    script: z.pipe(
      z.string().check(z.refine(isFilled)),
      z.transform((text) => text.replaceAll('\r', '')),
    ),
    mount: textOr('/mnt/server').check(z.refine(isMountPoint)),
    timeout: z.pipe(z.pipe(textOr('3600'), z.transform(Number)), z.int().check(z.minimum(1), z.maximum(86_400))),
  }),
} as const
export type StepType = keyof typeof stepFields
export type StepFields<T extends StepType> = z.output<(typeof stepFields)[T]>

/** The step types that only tasks may contain: they act on the server from outside. In its start they would deadlock. */
export const taskStepTypes: readonly StepType[] = ['power', 'countdown', 'backup']

export function isStepType(type: string): type is StepType {
  return Object.hasOwn(stepFields, type)
}

/** The fields that a step of each type cannot work without; blank text counts as missing. */
const requiredFields: Readonly<Partial<Record<StepType, readonly string[]>>> = {
  download: ['files'],
  command: ['commands'],
  writefile: ['target'],
  alterfile: ['file', 'search'],
  editconfig: ['file', 'format', 'changes'],
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
  dockerrun: ['image', 'script'],
}

export function isRequiredField(type: StepType, field: string): boolean {
  return requiredFields[type]?.includes(field) === true
}

export interface StepIssue {
  readonly field: string
  readonly problem: 'missing' | 'wrong'
}

/**
 * Missing and invalid fields of a step before variables are filled in; values that contain a variable are not checked.
 * A step of an unknown type has no known fields and therefore no issues.
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

/** A step list; a missing list is empty. */
export const Steps = z.pipe(
  z.transform((input) => input ?? []),
  z.array(Step),
)

/** The step types that a list may contain, in display order. */
export const stepTypes = Object.keys(stepFields) as readonly StepType[]

const filesPermission = 'putServerFiles'

/** The permission that a user needs to do the same by hand, and so to save a task with the step. */
const permissionOfStepType: { readonly [T in Exclude<StepType, 'power'>]: RequiredPermission } = {
  sleep: 'viewServer',
  console: 'viewServer',
  stdin: 'sendServerConsole',
  backup: 'createServerBackups',
  countdown: 'messagePlayers',
  download: filesPermission,
  writefile: filesPermission,
  alterfile: filesPermission,
  editconfig: filesPermission,
  move: filesPermission,
  mkdir: filesPermission,
  archive: filesPermission,
  extract: filesPermission,
  mojangdl: filesPermission,
  forgedl: filesPermission,
  neoforgedl: filesPermission,
  spongeforgedl: filesPermission,
  spongedl: filesPermission,
  fabricdl: filesPermission,
  paperdl: filesPermission,
  resolveforgeversion: 'editServerData',
  resolveneoforgeversion: 'editServerData',
  // Steps that run programs or change the node: by hand, only administrators can do this, in a definition.
  command: 'admin',
  curseforge: 'admin',
  steamgamedl: 'admin',
  javadl: 'admin',
  nodejsdl: 'admin',
  dockerpull: 'admin',
  dockerrun: 'admin',
}

const permissionOfPower: Readonly<Record<PowerAction, RequiredPermission>> = {
  start: 'startServer',
  restart: 'startServer',
  stop: 'stopServer',
  kill: 'stopServer',
}

/** The permission that a step of a task requires; `admin` for an unknown type and for setting an arbitrary variable. */
export function permissionOfStep(step: Step): RequiredPermission {
  if (!isStepType(step.type) || setsOtherVariable(step.type, step)) return 'admin'
  if (step.type !== 'power') return permissionOfStepType[step.type]
  const action = powerActions.find((known) => known === step.action)
  return action ? permissionOfPower[action] : 'admin'
}

/**
 * Whether a step sets a variable other than its default one: definitions use variables where users must not inject
 * values.
 */
function setsOtherVariable(type: StepType, { outputVariable }: Step): boolean {
  const { shape } = stepFields[type]
  if (outputVariable === undefined || !('outputVariable' in shape)) return false
  const read = shape.outputVariable.safeParse(outputVariable)
  return !read.success || read.data !== shape.outputVariable.parse(undefined)
}
