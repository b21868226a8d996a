import { validateVariable } from '@innkeeper/contract/definitions/validate-variable'
import {
  booleanForms,
  getText,
  isOn as isOnOf,
  Variable,
  type VariableType,
  type VariableValue,
  variableTypes,
} from '@innkeeper/contract/definitions/variables'
import { isSafeKey } from '@innkeeper/contract/text/names'
import type { VariableDraft } from './draft.ts'
import { isIntegerText, isObject, type JsonObject, keepNumber, setText, toBoolean, toText } from './json-path.ts'

export const newVariable: JsonObject = {
  type: 'string',
  value: '',
  display: '',
  desc: '',
  required: true,
  userEdit: true,
}

export function getType(variable: JsonObject): VariableType {
  return variableTypes.find((type) => type === variable.type) ?? 'string'
}

export function getValue({ value }: JsonObject): VariableValue | undefined {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? value : undefined
}

/** Changes the type. A variable of type `option` gets a list of options. */
export function setType(variable: JsonObject, type: VariableType): JsonObject {
  const changed = { ...variable, type }
  return type === 'option' && !Array.isArray(variable.options) ? { ...changed, options: [] } : changed
}

/** Sets the value from an input. A text value stays text; any other value of a numeric type becomes a number. */
export function setValue(variable: JsonObject, text: string): JsonObject {
  const isText = typeof variable.value === 'string' && variable.value !== ''
  const value = !isText && isNumberText(getType(variable), text) ? Number(text) : text
  return { ...variable, value }
}

/** Whether the text is a number of the type that JSON holds as it is written. */
export function isNumberText(type: VariableType, text: string): boolean {
  if (type === 'integer') return isIntegerText(text)
  return type === 'number' && String(Number(text)) === text && Number.isFinite(Number(text))
}

export function isOn(variable: JsonObject): boolean {
  return isOnOf(withForms(variable), getValue(variable)) === true
}

export function setBoolean(variable: JsonObject, on: boolean): JsonObject {
  const { trueValue, falseValue } = variable
  const forms = booleanForms(withForms(variable))
  const isText = typeof variable.value === 'string' && variable.value !== ''
  const hasForms = trueValue !== undefined || falseValue !== undefined
  return { ...variable, value: isText || hasForms ? (on ? forms.on : forms.off) : on }
}

/** Sets how a boolean is written when it is on or off; the default value follows. */
export function setForm(variable: JsonObject, form: 'trueValue' | 'falseValue', text: string): JsonObject {
  return setBoolean(setText(variable, [form], text), isOn(variable))
}

/** The forms of a boolean, as far as they are valid. */
function withForms(variable: JsonObject): Variable {
  const { trueValue, falseValue } = variable
  const { success, data } = Variable.safeParse({ trueValue, falseValue })
  return success ? data : {}
}

export interface OptionRow {
  readonly value: string
  readonly display: string
}

export function getOptions({ options }: JsonObject): readonly OptionRow[] {
  if (!Array.isArray(options)) return []
  return options.map((option) =>
    isObject(option) ? { value: toText(option.value), display: toText(option.display) } : { value: '', display: '' },
  )
}

/** Changes one option; its unknown keys are kept. */
export function updateOption(variable: JsonObject, index: number, changes: Partial<OptionRow>): JsonObject {
  const options: unknown[] = Array.isArray(variable.options) ? variable.options : []
  const before = options[index]
  const option = isObject(before) ? before : {}
  const value = changes.value === undefined ? {} : { value: keepNumber(option.value, changes.value) }
  const changed = { ...option, ...changes, ...value }
  return { ...variable, options: options.with(index, changed) }
}

/** Sets the value to that of an option, with the option's own type. */
export function selectOption(variable: JsonObject, text: string): JsonObject {
  const options: unknown[] = Array.isArray(variable.options) ? variable.options : []
  const option = options.find((candidate) => isObject(candidate) && toText(candidate.value) === text)
  return { ...variable, value: isObject(option) ? option.value : text }
}

export type VariableIssue = 'name' | 'duplicate' | 'reserved' | 'missing' | 'value'

/** The issues with names of variables, by row. Rows without a name are left out on save and have none. */
export function validateNames(rows: readonly VariableDraft[]): ReadonlyMap<number, VariableIssue> {
  const names = rows.map(({ name }) => name)
  const issues = rows.flatMap(({ id, name }, index): [number, VariableIssue][] => {
    if (name.trim() === '') return []
    if (/\s/.test(name)) return [[id, 'name']]
    if (!isSafeKey(name)) return [[id, 'reserved']]
    return names.indexOf(name) === index ? [] : [[id, 'duplicate']]
  })
  return new Map(issues)
}

/** The issue with the default of a variable. A required variable may have no default: servers set it. */
export function validateValue({ name, variable }: VariableDraft): VariableIssue | undefined {
  const parsed = Variable.safeParse(variable)
  if (!parsed.success || toBoolean(variable.internal)) return undefined
  const { value } = parsed.data
  if (getText(value) === '') return undefined
  return validateVariable(name, parsed.data, value) ? 'value' : undefined
}
