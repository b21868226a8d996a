import { isOrdinaryKey } from '@innkeeper/contract/names'
import {
  booleanOf,
  objectionTo,
  textOf,
  Variable,
  type VariableType,
  type VariableValue,
  variableTypes,
} from '@innkeeper/contract/variables'
import type { VariableRow } from './draft.ts'
import { flagOf, isObject, isWhole, type Raw, textOfAny } from './raw.ts'

/** As a person begins one. */
export const newVariable: Raw = { type: 'string', value: '', display: '', desc: '', required: true, userEdit: true }

export function typeIn(variable: Raw): VariableType {
  return variableTypes.find((type) => type === variable.type) ?? 'string'
}

export function valueIn({ value }: Raw): VariableValue | undefined {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? value : undefined
}

/** Of another type; one to choose from has a list of choices from then on. */
export function ofType(variable: Raw, type: VariableType): Raw {
  const changed = { ...variable, type }
  return type === 'option' && !Array.isArray(variable.options) ? { ...changed, options: [] } : changed
}

/** With a value that was typed: text stays text, and what was no text before becomes what its type says. */
export function withValue(variable: Raw, text: string): Raw {
  const before = variable.value
  const isText = typeof before === 'string' && before !== ''
  const value = !isText && typeIn(variable) === 'integer' && isWhole(text) ? Number(text) : text
  return { ...variable, value }
}

export function isOn(variable: Raw): boolean {
  return booleanOf(valueIn(variable)) === true
}

export function switchedTo(variable: Raw, on: boolean): Raw {
  return { ...variable, value: typeof variable.value === 'string' && variable.value !== '' ? String(on) : on }
}

export interface OptionRow {
  readonly value: string
  readonly display: string
}

export function optionsIn({ options }: Raw): readonly OptionRow[] {
  if (!Array.isArray(options)) return []
  return options.map((option) =>
    isObject(option)
      ? { value: textOfAny(option.value), display: textOfAny(option.display) }
      : { value: '', display: '' },
  )
}

/** With another word in one of the options; what else the option holds stays. */
export function withOption(variable: Raw, at: number, part: Partial<OptionRow>): Raw {
  const options = Array.isArray(variable.options) ? variable.options : []
  return {
    ...variable,
    options: options.map((option: unknown, place) => {
      if (place !== at) return option
      const held = isObject(option) ? option : {}
      const { value, ...others } = part
      const isNumber = typeof held.value === 'number' && value !== undefined && isWhole(value)
      return { ...held, ...(value === undefined ? {} : { value: isNumber ? Number(value) : value }), ...others }
    }),
  }
}

/** The value behind the option with this text, as the option holds it. */
export function chosen(variable: Raw, text: string): Raw {
  const options = Array.isArray(variable.options) ? (variable.options as unknown[]) : []
  const option = options.find((one) => isObject(one) && textOfAny(one.value) === text)
  return { ...variable, value: isObject(option) ? option.value : text }
}

export type VariableProblem = 'name' | 'duplicate' | 'reserved' | 'missing' | 'value'

/** What stands against the names of variables, by row; one without any name is left out when the template is saved. */
export function problemsOfNames(rows: readonly VariableRow[]): ReadonlyMap<number, VariableProblem> {
  const names = rows.map(({ name }) => name)
  const problems = rows.flatMap(({ id, name }, index): [number, VariableProblem][] => {
    if (name.trim() === '') return []
    if (/\s/.test(name)) return [[id, 'name']]
    if (!isOrdinaryKey(name)) return [[id, 'reserved']]
    return names.indexOf(name) === index ? [] : [[id, 'duplicate']]
  })
  return new Map(problems)
}

/** What stands against the value of a variable; a template keeps it all the same. */
export function problemOfValue({ name, variable }: VariableRow): VariableProblem | undefined {
  const read = Variable.safeParse(variable)
  if (!read.success || flagOf(variable.internal)) return undefined
  const value = read.data.value
  // What is required is asked of whoever makes a server: a template may leave it open.
  if (textOf(value) === '') return undefined
  return objectionTo(name, read.data, value) ? 'value' : undefined
}
