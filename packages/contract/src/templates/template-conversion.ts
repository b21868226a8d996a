import { findEnvironmentType, Template } from '../definitions/definition.ts'
import { isStepType } from '../definitions/operations.ts'
import { validate } from '../definitions/validate.ts'
import { Refusal } from '../errors/refusals.ts'
import { trimEnd } from '../text/trim-end.ts'

/**
 * What was not converted. `dropped`: a part that is not supported. `step`: an unknown step; it is kept and will fail.
 * `environment`: an unknown type; it is kept. `noCommand`: there is no start command. The others are of eggs: `noImage`:
 * no image is named. `configFile`, `configValue`: a file, or one value in it, is not changed before the start. `ready`:
 * the pattern of the line that the server prints when it is ready is not supported. `variableRule`: a rule for the values
 * of a variable is not checked.
 */
export type ConversionNote =
  | { readonly kind: 'dropped'; readonly where: string }
  | { readonly kind: 'step'; readonly where: string; readonly type: string }
  | { readonly kind: 'environment'; readonly type: string }
  | { readonly kind: 'noEnvironment' }
  | { readonly kind: 'noCommand' }
  | { readonly kind: 'noImage' }
  | { readonly kind: 'configFile'; readonly file: string }
  | { readonly kind: 'configValue'; readonly file: string; readonly key: string }
  | { readonly kind: 'ready' }
  | { readonly kind: 'variableRule'; readonly variable: string; readonly rule: string }

/** Whether servers do not start or do not work as they should without a change of the template. */
export function isMajorNote(note: ConversionNote): boolean {
  // The features of an egg are questions and hints of the web app.
  if (note.kind === 'dropped') return !note.where.startsWith('features')
  return note.kind !== 'ready' && note.kind !== 'variableRule'
}

/** Major notes first, else in their order. */
export const sortNotes = (notes: readonly ConversionNote[]): readonly ConversionNote[] =>
  notes.toSorted((a, b) => Number(isMajorNote(b)) - Number(isMajorNote(a)))

export interface Conversion {
  readonly template: Template & { readonly name: string }
  readonly notes: readonly ConversionNote[]
}

type Raw = Readonly<Record<string, unknown>>

/** Whether the JSON is a template in the 1.x format: wrapped, or with its steps below `commands`. */
export function isOldTemplate(json: unknown): boolean {
  if (!isRaw(json)) return false
  return isRaw(json.pufferd) || isRaw(json.install) || isRaw(json.uninstall)
}

/**
 * Converts a template from the 1.x format.
 * @throws Refusal when the result is not a valid template
 */
export function convertTemplate(json: unknown): Conversion {
  const notes: ConversionNote[] = []
  const drop = (where: string) => notes.push({ kind: 'dropped', where })
  if (!isRaw(json)) throw new Refusal('ErrInvalidJson')
  const { pufferd, ...otherKeys } = json
  if (isRaw(pufferd)) for (const key of Object.keys(otherKeys)) drop(key)
  const { install, uninstall, run, environment, ...rest } = withOurRoot(isRaw(pufferd) ? pufferd : json) as Raw

  const steps = (list: string, value: unknown): unknown => {
    const { commands, ...others } = isRaw(value) ? value : { commands: value }
    for (const key of Object.keys(others)) drop(`${list}.${key}`)
    if (!Array.isArray(commands)) return commands ?? []
    for (const [at, step] of commands.entries()) {
      if (!isRaw(step) || typeof step.type !== 'string' || isStepType(step.type)) continue
      notes.push({ kind: 'step', where: `${list}[${at}]`, type: step.type })
    }
    return commands
  }
  const { program, arguments: words, enabled, ...running } = isRaw(run) ? run : {}
  const command = [program, ...(Array.isArray(words) ? words : [words])].filter(isWord).map(quoted).join(' ')
  const hasCommand = command !== '' || running.command !== undefined
  if (!hasCommand) notes.push({ kind: 'noCommand' })
  for (const list of ['pre', 'post'] as const) if (running[list] !== undefined) steps(`run.${list}`, running[list])

  const type = isRaw(environment) && typeof environment.type === 'string' ? environment.type : ''
  if (type === '') notes.push({ kind: 'noEnvironment' })
  else if (!findEnvironmentType({ type })) notes.push({ kind: 'environment', type })
  const convertedEnvironment = type === '' ? { type: 'standard' } : environment

  const converted = {
    ...rest,
    name: getName(rest),
    install: steps('install', install),
    uninstall: steps('uninstall', uninstall),
    run: {
      ...running,
      ...(command === '' ? {} : { command }),
      // Disabled in 1.x means disabled here.
      ...(enabled === false || enabled === 'false' ? { disabled: true } : {}),
    },
    environment: convertedEnvironment,
    supportedEnvironments: [convertedEnvironment],
  }
  const template = validate(Template, converted)
  return { template: { ...template, name: converted.name }, notes }
}

/** Replaces `${rootdir}` of 1.x by `${rootDir}` everywhere. */
function withOurRoot(value: unknown): unknown {
  if (typeof value === 'string') return value.replaceAll('${rootdir}', '${rootDir}')
  if (Array.isArray(value)) return value.map(withOurRoot)
  if (!isRaw(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, withOurRoot(inner)]))
}

/** Quotes an argument for `splitCommand`. */
function quoted(word: string | number): string {
  const text = String(word)
  if (text !== '' && !/[\s"'\\]/.test(text)) return text
  return `"${text.replace(/["\\]/g, '\\$&')}"`
}

function getName({ display, type }: Raw): string {
  const slug = getSlug(typeof display === 'string' ? display : '')
  return slug || getSlug(typeof type === 'string' ? type : '') || 'template'
}

/** A template name for URLs and files, generated from the display name. */
export function getSlug(display: string): string {
  const plain = display.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase()
  const words = plain.replace(/[^a-z0-9]+/g, '-').slice(0, 100)
  return trimEnd(words.replace(/^-+/, ''), '-')
}

const isRaw = (value: unknown): value is Raw => typeof value === 'object' && value !== null && !Array.isArray(value)

const isWord = (value: unknown): value is string | number => typeof value === 'string' || typeof value === 'number'
