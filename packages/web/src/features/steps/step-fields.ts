import { escapeFormats } from '@innkeeper/contract/escape'
import { isRequiredField, powerActions, type StepType } from '@innkeeper/contract/operations'

/** How a field of a step is edited. */
export interface StepField {
  readonly name: string
  /** `lines` is a list of texts, `long` a text of several lines, `choice` one of few words, `flag` yes or no. */
  readonly as: 'text' | 'long' | 'lines' | 'choice' | 'flag'
  readonly isRequired?: boolean
  /** What it is when nothing is given. */
  readonly otherwise?: string | boolean
  /** The words of a `choice`, where an empty one stands for a missing field; of a `text` those that are offered. */
  readonly words?: readonly string[]
  /** Whether the catalogue has names for the words; that of `none` stands for an empty one. */
  readonly isNamed?: boolean
  readonly isSecret?: boolean
  /** Where a list is one text, blanks part it. */
  readonly partsAtBlanks?: boolean
}

const plain = (name: string, more: Partial<StepField> = {}): StepField => ({ name, as: 'text', ...more })
const can = (name: string, otherwise?: string, words?: readonly string[]): StepField => ({
  name,
  as: 'text',
  ...(otherwise === undefined ? {} : { otherwise }),
  ...(words === undefined ? {} : { words }),
})
const flag = (name: string, otherwise: boolean): StepField => ({ name, as: 'flag', otherwise })
const secret = (name: string): StepField => ({ name, as: 'text', isSecret: true })

const escapeField: StepField = { name: 'escape', as: 'choice', words: ['', ...escapeFormats], isNamed: true }

const loader = [can('version'), can('minecraftVersion')]

const fieldsByType: Readonly<Record<StepType, readonly StepField[]>> = {
  download: [plain('files', { as: 'lines', partsAtBlanks: true })],
  command: [plain('commands', { as: 'lines' }), flag('stopOnError', false)],
  writefile: [plain('target'), { name: 'text', as: 'long' }, escapeField],
  alterfile: [plain('file'), plain('search'), can('replace'), flag('regex', true), escapeField],
  move: [plain('source'), plain('target')],
  mkdir: [plain('target')],
  archive: [plain('source', { as: 'lines' }), plain('destination')],
  extract: [plain('source'), can('destination')],
  sleep: [plain('duration')],
  console: [can('message')],
  stdin: [plain('command')],
  power: [plain('action', { as: 'choice', words: powerActions }), flag('wait', true)],
  mojangdl: [can('version', 'release', ['release', 'snapshot']), can('target', 'server.jar')],
  forgedl: [...loader, can('filename'), can('target'), can('outputVariable', 'opForgeVersion')],
  neoforgedl: [...loader, can('target', 'neoforge-installer.jar'), can('outputVariable', 'opNeoForgeVersion')],
  resolveforgeversion: [...loader, can('outputVariable', 'opForgeVersion')],
  resolveneoforgeversion: [...loader, can('outputVariable', 'opNeoForgeVersion')],
  spongeforgedl: [can('releaseType', 'recommended', ['recommended', 'latest'])],
  spongedl: [
    { name: 'spongeType', as: 'choice', words: ['spongevanilla', 'spongeforge'], otherwise: 'spongevanilla' },
    flag('recommended', true),
    can('spongeVersion'),
    can('minecraftVersion'),
  ],
  fabricdl: [can('targetFile'), can('target')],
  paperdl: [
    can('project', 'paper', ['paper', 'velocity', 'waterfall', 'folia']),
    can('minecraftVersion', 'latest'),
    can('build', 'latest'),
    can('target', 'server.jar'),
  ],
  curseforge: [plain('projectId'), can('fileId'), can('java', 'java')],
  javadl: [plain('version', { words: ['8', '16', '17', '21', '25'] })],
  nodejsdl: [plain('version', { words: ['20', '22', '24'] })],
  steamgamedl: [
    plain('appId'),
    can('username'),
    secret('password'),
    can('branch'),
    secret('branchPassword'),
    { name: 'extraArgs', as: 'lines', partsAtBlanks: true },
  ],
  dockerpull: [can('imageName')],
}

/** The fields of a step type, in the order in which a form shows them. */
export function fieldsOfType(type: StepType): readonly StepField[] {
  return fieldsByType[type].map((field) => ({ ...field, isRequired: isRequiredField(type, field.name) }))
}

/** What a step holds as soon as it has its type. */
export const beginningOfType: Readonly<Partial<Record<StepType, Readonly<Record<string, unknown>>>>> = {
  download: { files: [] },
  command: { commands: [] },
  archive: { source: [] },
  // Other panels read a missing one as false.
  alterfile: { regex: true },
  power: { action: 'start' },
}
