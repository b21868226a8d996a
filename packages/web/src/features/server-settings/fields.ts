import {
  booleanOf,
  isUserEditable,
  textOf,
  typeOf,
  type Variable,
  type VariableType,
  type VariableValue,
  type VariableValues,
} from '@innkeeper/contract/variables'

/** A variable as the form shows it. */
export interface Field {
  readonly name: string
  readonly label: string
  readonly type: VariableType
  readonly variable: Variable
  /** Its value as text, as the node holds it. */
  readonly held: string
  /** Only administrators may change it. */
  readonly isGuarded: boolean
}

/** What was typed, by variable name; what was not touched is absent. */
export type Typed = Readonly<Record<string, string>>

/** The variables in the order of the definition: what users may edit, then, for administrators, the rest. */
export function fieldsOf(variables: Readonly<Record<string, Variable>>, isAdmin: boolean): readonly Field[] {
  const fields = Object.entries(variables).map(
    ([name, variable]): Field => ({
      name,
      label: variable.display || name,
      type: typeOf(variable),
      variable,
      held: textOf(variable.value),
      isGuarded: !isUserEditable(variable),
    }),
  )
  const open = fields.filter((field) => !field.isGuarded)
  return isAdmin ? [...open, ...fields.filter((field) => field.isGuarded && field.variable.internal !== true)] : open
}

/** What is in a field now. */
export function currentOf(field: Field, typed: Typed): string {
  return typed[field.name] ?? field.held
}

/** The fields whose value would change. */
export function changedIn(fields: readonly Field[], typed: Typed): readonly Field[] {
  return fields.filter((field) => !isSame(field, currentOf(field, typed)))
}

function isSame(field: Field, text: string): boolean {
  if (field.type === 'boolean') return (booleanOf(text) ?? false) === (booleanOf(field.held) ?? false)
  return text === field.held
}

/** What is sent: the changed values, each kept in the form that the definition had it in. */
export function valuesToSend(fields: readonly Field[], typed: Typed): VariableValues {
  return Object.fromEntries(
    changedIn(fields, typed).map((field) => [field.name, { value: formOf(field, currentOf(field, typed)) }]),
  )
}

function formOf(field: Field, text: string): VariableValue {
  const held = field.variable.value
  const wasText = typeof held === 'string'
  if (field.type === 'boolean') return wasText ? String(booleanOf(text) ?? false) : (booleanOf(text) ?? false)
  if (field.type === 'integer') return wasText || text.trim() === '' ? text.trim() : Number(text)
  if (field.type === 'option') {
    return field.variable.options?.find((option) => textOf(option.value) === text)?.value ?? text
  }
  return text
}

/** The fields that somebody else changed since `before`; a person who typed there did not see that. */
export function changedMeanwhile(before: readonly Field[], now: readonly Field[]): readonly Field[] {
  return now.filter((field) => before.find(({ name }) => name === field.name)?.held !== field.held)
}
