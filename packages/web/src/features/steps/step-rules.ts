import {
  isStepType,
  issuesOfStep,
  type Step,
  type StepIssue,
  type StepType,
} from '@innkeeper/contract/definitions/operations'
import { findText, type TFunction } from '../../i18n/i18n.tsx'
import { getChanges } from './config-changes.ts'
import { defaultsByType, getFieldsOfType, type StepField } from './step-fields.ts'

export function newStep(type: StepType): Step {
  return { type, ...defaultsByType[type] }
}

/** The fields of the step's form; none for an unknown type. */
export function getFields({ type }: Step): readonly StepField[] {
  return isStepType(type) ? getFieldsOfType(type) : []
}

/** The fields of a step that the form does not show. */
export function getOtherFields(step: Step): Readonly<Record<string, unknown>> {
  const shown = [
    'type',
    ...(hasTextCondition(step) ? ['if'] : []),
    ...(hasErrorSwitch(step) ? ['continueOnError'] : []),
    ...getFields(step).map(({ name }) => name),
  ]
  return Object.fromEntries(Object.entries(step).filter(([name]) => !shown.includes(name)))
}

/** Whether the condition can be edited as text: it is text or missing. */
export function hasTextCondition(step: Step): boolean {
  return step.if === undefined || step.if === null || typeof step.if === 'string'
}

/** Whether it can be switched that the list goes on after a failure. */
export function hasErrorSwitch({ type, continueOnError }: Step): boolean {
  return isStepType(type) && (continueOnError === undefined || typeof continueOnError === 'boolean')
}

export function setContinueOnError(step: Step, isOn: boolean): Step {
  return isOn ? { ...step, continueOnError: true } : removeField(step, 'continueOnError')
}

/** The text for an input: empty for lists, objects and missing values. */
export function getText(step: Step, name: string): string {
  const raw = step[name]
  const value = Array.isArray(raw) ? raw.join(', ') : raw
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? String(value) : ''
}

/** The lines of a list field. A single text is one line, or is split at spaces. */
export function getLines(step: Step, { name, splitAtSpaces = false }: StepField): readonly string[] {
  const value = step[name]
  if (Array.isArray(value)) return value.map(String)
  const text = getText(step, name)
  if (text === '') return []
  return splitAtSpaces ? text.split(/\s+/).filter(Boolean) : [text]
}

export function getBoolean(step: Step, { name, defaultValue }: StepField): boolean {
  const value = step[name]
  if (typeof value === 'boolean') return value
  return typeof value === 'string' && /^(true|false)$/i.test(value)
    ? value.toLowerCase() === 'true'
    : defaultValue === true
}

/** Sets a field from an input. A number stays a number; an empty optional field is removed. */
export function setText(step: Step, field: StepField, text: string): Step {
  if (text === '' && !field.isRequired) return removeField(step, field.name)
  const isNumber = typeof step[field.name] === 'number' && /^-?\d{1,15}$/.test(text)
  return { ...step, [field.name]: isNumber ? Number(text) : text }
}

function removeField(step: Step, name: string): Step {
  const { [name]: _, ...others } = step
  return { ...others, type: step.type }
}

/**
 * What a step does in one line: its first two values, as in `*.jar → plugins`, `eula.txt: eula=true`, and
 * `server.properties: motd +2`.
 */
export function summarize(step: Step): string {
  const fields = getFields(step).filter(
    ({ input, isSecret, hasOptionLabels, name }) =>
      input !== 'switch' && !isSecret && !hasOptionLabels && name !== 'format',
  )
  const [first, second] = fields.flatMap((field) => {
    const text = summarizeLines(getSummaryLines(step, field))
    return text === '' ? [] : [{ name: field.name, text }]
  })
  if (!first || !second) return first?.text ?? ''
  if (['target', 'destination'].includes(second.name)) return `${first.text} → ${second.text}`
  return `${first.text}${['file', 'target'].includes(first.name) ? ':' : ','} ${second.text}`
}

function getSummaryLines(step: Step, field: StepField): readonly string[] {
  if (field.input === 'configChanges') return [...new Set(getChanges(step).map(({ path }) => String(path ?? '')))]
  return field.input === 'list' ? getLines(step, field) : [getText(step, field.name)]
}

function summarizeLines([first, ...more]: readonly string[]): string {
  const text = first?.trim().split('\n')[0] ?? ''
  return text !== '' && more.length > 0 ? `${text} +${more.length}` : text
}

export type StepError = StepIssue['problem']

/** The errors of steps by path (`2.files`). Values with variables are not checked. */
export function validateSteps(steps: readonly Step[]): ReadonlyMap<string, StepError> {
  return new Map(steps.flatMap((step, index) => validateStep(step).map(([name, error]) => [`${index}.${name}`, error])))
}

function validateStep(step: Step): [string, StepError][] {
  if (step.type.trim() === '') return [['type', 'missing']]
  const names = getFields(step).map(({ name }) => name)
  return issuesOfStep(step).flatMap(({ field, problem }): [string, StepError][] =>
    names.includes(field) ? [[field, problem]] : [],
  )
}

function isEmpty(step: Step, field: StepField): boolean {
  if (field.input === 'configChanges') return getChanges(step).length === 0
  return field.input === 'list'
    ? getLines(step, field).every((line) => line.trim() === '')
    : getText(step, field.name).trim() === ''
}

/** Removes the blank lines of lists. */
export function removeBlankLines(steps: readonly Step[]): Step[] {
  return steps.map(cleanStep)
}

/** Removes blank steps and blank lines, of added steps only. */
export function removeBlankSteps(steps: readonly Step[], isAdded: (step: Step) => boolean = () => true): Step[] {
  return steps
    .filter((step) => !(isAdded(step) && isBlank(step)))
    .map((step) => (isAdded(step) ? cleanStep(step) : step))
}

/** Whether a step with required fields has no values at all. */
export function isBlank(step: Step): boolean {
  const fields = getFields(step)
  const required = fields.filter(({ isRequired, input }) => isRequired && input !== 'select')
  const hasOthers = Object.keys(getOtherFields(step)).length > 0 || getText(step, 'if') !== ''
  return !hasOthers && required.length > 0 && fields.every((field) => field.input === 'switch' || isEmpty(step, field))
}

function cleanStep(step: Step): Step {
  const lists = getFields(step).filter(({ input, name }) => input === 'list' && Array.isArray(step[name]))
  const withBlankLines = lists.filter((field) => getLines(step, field).some((line) => line.trim() === ''))
  if (withBlankLines.length === 0) return step
  const cleaned = withBlankLines.map((field) => [
    field.name,
    getLines(step, field).filter((line) => line.trim() !== ''),
  ])
  return { ...step, ...Object.fromEntries(cleaned) }
}

/** The error messages of steps by path (`2.files`), as `StepList` takes them. */
export function getStepErrors(t: TFunction, steps: readonly Step[]): ReadonlyMap<string, string> {
  const messages = [...validateSteps(steps)].map(([path, error]): [string, string] => {
    const name = path.slice(path.indexOf('.') + 1)
    const field = stepFieldName(t, name)
    return [path, t(error === 'missing' ? 'errors.ErrFieldRequired' : 'errors.ErrFieldInvalid', { field })]
  })
  return new Map(messages)
}

/** The label of a field of the form, or of `type`. */
export function stepFieldName(t: TFunction, field: string): string {
  return field === 'type' ? t('common.Type') : (findText(t, `steps.Field_${field}`) ?? field)
}

/** The name of a step's type; an unknown type is shown as it is. */
export function stepTypeName(t: TFunction, step: Step | undefined): string {
  if (!step) return ''
  return isStepType(step.type) ? t(`steps.Type_${step.type}`) : step.type
}
