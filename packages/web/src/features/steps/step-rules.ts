import { isStepType, issuesOfStep, type Step, type StepIssue, type StepType } from '@innkeeper/contract/operations'
import { beginningOfType, fieldsOfType, type StepField } from './step-fields.ts'

export function newStep(type: StepType): Step {
  return { type, ...beginningOfType[type] }
}

/** The fields that a form has for a step; none for a type that we do not know. */
export function fieldsOf({ type }: Step): readonly StepField[] {
  return isStepType(type) ? fieldsOfType(type) : []
}

/** What a step holds that no field of the form shows. */
export function othersOf(step: Step): Readonly<Record<string, unknown>> {
  const shown = ['type', ...(hasCondition(step) ? ['if'] : []), ...fieldsOf(step).map(({ name }) => name)]
  return Object.fromEntries(Object.entries(step).filter(([name]) => !shown.includes(name)))
}

/** Whether the condition is one that a text field can show, or none. */
export function hasCondition(step: Step): boolean {
  return step.if === undefined || step.if === null || typeof step.if === 'string'
}

/** A field as a text field shows it; lists and objects have no such text. */
export function textIn(step: Step, name: string): string {
  const value = step[name]
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? String(value) : ''
}

/** A list field; a single text is a list of one, or of its words. */
export function linesIn(step: Step, { name, partsAtBlanks = false }: StepField): readonly string[] {
  const value = step[name]
  if (Array.isArray(value)) return value.map(String)
  const single = textIn(step, name)
  if (single === '') return []
  return partsAtBlanks ? single.split(/\s+/).filter(Boolean) : [single]
}

export function flagIn(step: Step, { name, otherwise }: StepField): boolean {
  const value = step[name]
  if (typeof value === 'boolean') return value
  return typeof value === 'string' && /^(true|false)$/i.test(value)
    ? value.toLowerCase() === 'true'
    : otherwise === true
}

/** The step with a text typed into one of its fields. What was a number stays one; what may be missing is left out. */
export function withText(step: Step, field: StepField, text: string): Step {
  if (text === '' && !field.isRequired) return without(step, field.name)
  const isNumber = typeof step[field.name] === 'number' && /^-?\d{1,15}$/.test(text)
  return { ...step, [field.name]: isNumber ? Number(text) : text }
}

export function without(step: Step, name: string): Step {
  const { [name]: _, ...others } = step
  return { ...others, type: step.type }
}

/** What a step does, in a line of values. */
export function summaryOf(step: Step): string {
  const fields = fieldsOf(step).filter(({ as, isSecret, isNamed }) => as !== 'flag' && isSecret !== true && !isNamed)
  const values = fields.flatMap((field) => {
    const [first, ...more] = field.as === 'lines' ? linesIn(step, field) : [textIn(step, field.name)]
    if (!first?.trim()) return []
    return [`${first.trim().split('\n')[0]}${more.length > 0 ? ` +${more.length}` : ''}`]
  })
  return values.slice(0, 2).join(' → ')
}

export type StepProblem = StepIssue['problem']

/** What stands against steps, by path (`2.files`). Where a variable is filled in, nobody can tell yet. */
export function problemsOfSteps(steps: readonly Step[]): ReadonlyMap<string, StepProblem> {
  return new Map(
    steps.flatMap((step, index) => problemsOf(step).map(([name, problem]) => [`${index}.${name}`, problem])),
  )
}

function problemsOf(step: Step): [string, StepProblem][] {
  if (step.type.trim() === '') return [['type', 'missing']]
  const names = fieldsOf(step).map(({ name }) => name)
  return issuesOfStep(step).flatMap(({ field, problem }): [string, StepProblem][] =>
    names.includes(field) ? [[field, problem]] : [],
  )
}

function isEmpty(step: Step, field: StepField): boolean {
  return field.as === 'lines'
    ? linesIn(step, field).every((line) => line.trim() === '')
    : textIn(step, field.name).trim() === ''
}

/** The steps without the blank lines of their lists. */
export function withoutBlankLines(steps: readonly Step[]): Step[] {
  return steps.map(withoutBlankLinesOf)
}

/** The steps without what was added and left empty: blank lines of lists, and steps in which nothing was said. */
export function withoutBlanks(steps: readonly Step[], isAdded: (step: Step) => boolean = () => true): Step[] {
  return steps
    .filter((step) => !(isAdded(step) && isBlank(step)))
    .map((step) => (isAdded(step) ? withoutBlankLinesOf(step) : step))
}

/** Whether a step that needs something says nothing at all. */
export function isBlank(step: Step): boolean {
  const fields = fieldsOf(step)
  const needs = fields.filter(({ isRequired, as }) => isRequired && as !== 'choice')
  const isSilent = Object.keys(othersOf(step)).length === 0 && textIn(step, 'if') === ''
  return isSilent && needs.length > 0 && fields.every((field) => field.as === 'flag' || isEmpty(step, field))
}

function withoutBlankLinesOf(step: Step): Step {
  const lists = fieldsOf(step).filter(({ as, name }) => as === 'lines' && Array.isArray(step[name]))
  const blank = lists.filter((field) => linesIn(step, field).some((line) => line.trim() === ''))
  if (blank.length === 0) return step
  const kept = blank.map((field) => [field.name, linesIn(step, field).filter((line) => line.trim() !== '')])
  return { ...step, ...Object.fromEntries(kept) }
}
