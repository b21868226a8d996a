import { defaultCountdownMessage, defaultCountdownMinutes } from '@innkeeper/contract/definitions/countdown'
import {
  configFileFormats,
  isRequiredField,
  powerActions,
  type StepType,
} from '@innkeeper/contract/definitions/operations'
import { escapeFormats } from '@innkeeper/contract/text/escape'

/** How the form edits a field of a step. */
export interface StepField {
  readonly name: string
  readonly input: 'text' | 'textarea' | 'list' | 'select' | 'switch' | 'configChanges'
  readonly isRequired?: boolean
  /** The value of a missing field. */
  readonly defaultValue?: string | boolean
  /** The options of a `select`, where `''` means a missing field, or the suggestions of a `text`. */
  readonly options?: readonly string[]
  /** Whether the catalog has labels for the options. The label of `''` is that of `none`. */
  readonly hasOptionLabels?: boolean
  readonly isSecret?: boolean
  /** For a `list` that is stored as one text: it is split at spaces. */
  readonly splitAtSpaces?: boolean
}

const field = (name: string, more: Partial<StepField> = {}): StepField => ({ name, input: 'text', ...more })
const withDefault = (name: string, defaultValue: string, options: readonly string[] = []): StepField =>
  field(name, { defaultValue, options })
const list = (name: string, more: Partial<StepField> = {}): StepField => field(name, { input: 'list', ...more })
const toggle = (name: string, defaultValue: boolean): StepField => ({ name, input: 'switch', defaultValue })
const secret = (name: string): StepField => field(name, { isSecret: true })

const escapeField: StepField = {
  name: 'escape',
  input: 'select',
  options: ['', ...escapeFormats],
  hasOptionLabels: true,
}

const versions = [field('version'), field('minecraftVersion')]

const fieldsByType: Readonly<Record<StepType, readonly StepField[]>> = {
  download: [list('files', { splitAtSpaces: true })],
  command: [list('commands'), toggle('stopOnError', false)],
  writefile: [field('target'), { name: 'text', input: 'textarea' }, escapeField],
  alterfile: [field('file'), field('search'), field('replace'), toggle('regex', true), escapeField],
  editconfig: [
    field('file'),
    field('format', { input: 'select', options: configFileFormats }),
    field('changes', { input: 'configChanges' }),
  ],
  move: [field('source'), field('target')],
  mkdir: [field('target')],
  archive: [list('source'), field('destination')],
  extract: [field('source'), field('destination')],
  sleep: [field('duration')],
  console: [field('message')],
  stdin: [field('command')],
  power: [field('action', { input: 'select', options: powerActions }), toggle('wait', true)],
  countdown: [
    withDefault('minutes', defaultCountdownMinutes.join(', ')),
    withDefault('message', defaultCountdownMessage),
  ],
  backup: [field('name'), toggle('verify', true)],
  mojangdl: [withDefault('version', 'release', ['release', 'snapshot']), withDefault('target', 'server.jar')],
  forgedl: [...versions, field('filename'), field('target'), withDefault('outputVariable', 'opForgeVersion')],
  neoforgedl: [
    ...versions,
    withDefault('target', 'neoforge-installer.jar'),
    withDefault('outputVariable', 'opNeoForgeVersion'),
  ],
  resolveforgeversion: [...versions, withDefault('outputVariable', 'opForgeVersion')],
  resolveneoforgeversion: [...versions, withDefault('outputVariable', 'opNeoForgeVersion')],
  spongeforgedl: [withDefault('releaseType', 'recommended', ['recommended', 'latest'])],
  spongedl: [
    field('spongeType', {
      input: 'select',
      options: ['spongevanilla', 'spongeforge'],
      defaultValue: 'spongevanilla',
    }),
    toggle('recommended', true),
    field('spongeVersion'),
    field('minecraftVersion'),
  ],
  fabricdl: [field('targetFile'), field('target')],
  paperdl: [
    withDefault('project', 'paper', ['paper', 'velocity', 'waterfall', 'folia']),
    withDefault('minecraftVersion', 'latest'),
    withDefault('build', 'latest'),
    withDefault('target', 'server.jar'),
  ],
  curseforge: [field('projectId'), field('fileId'), withDefault('java', 'java')],
  javadl: [field('version', { options: ['8', '16', '17', '21', '25'] })],
  nodejsdl: [field('version', { options: ['20', '22', '24'] })],
  steamgamedl: [
    field('appId'),
    field('username'),
    secret('password'),
    field('branch'),
    secret('branchPassword'),
    list('extraArgs', { splitAtSpaces: true }),
  ],
  dockerpull: [field('imageName')],
  dockerrun: [
    field('image'),
    withDefault('entrypoint', 'bash', ['bash', 'ash', 'sh']),
    { name: 'script', input: 'textarea' },
    withDefault('mount', '/mnt/server'),
    withDefault('timeout', '3600'),
  ],
}

/** The fields of a step type in the order of the form. */
export function getFieldsOfType(type: StepType): readonly StepField[] {
  return fieldsByType[type].map((field) => ({ ...field, isRequired: isRequiredField(type, field.name) }))
}

/** The fields of a new step. */
export const defaultsByType: Readonly<Partial<Record<StepType, Readonly<Record<string, unknown>>>>> = {
  download: { files: [] },
  command: { commands: [] },
  archive: { source: [] },
  // Other panels treat a missing value as false.
  alterfile: { regex: true },
  editconfig: { format: 'properties', changes: [] },
}
