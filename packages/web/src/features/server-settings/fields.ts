import {
  booleanOf,
  isUserEditable,
  textOf,
  typeOf,
  type Variable,
  type VariableValues,
} from '@innkeeper/contract/variables'
import { valueFrom } from '../variables/values.ts'

/** A variable as the form shows it. */
export interface Field {
  readonly name: string
  readonly label: string
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
      variable,
      held: textOf(variable.value),
      isGuarded: !isUserEditable(variable),
    }),
  )
  const open = fields.filter((field) => !field.isGuarded)
  return isAdmin ? [...open, ...fields.filter((field) => field.isGuarded && field.variable.internal !== true)] : open
}

/** The values of all variables as they are typed now. */
export function valuesNow(variables: Readonly<Record<string, Variable>>, typed: Typed): ReadonlyMap<string, string> {
  return new Map(Object.entries(variables).map(([name, { value }]) => [name, typed[name] ?? textOf(value)]))
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
  if (typeOf(field.variable) === 'boolean') return (booleanOf(text) ?? false) === (booleanOf(field.held) ?? false)
  return text === field.held
}

/** What is sent: the changed values, each kept in the form that the definition had it in. */
export function valuesToSend(fields: readonly Field[], typed: Typed): VariableValues {
  return Object.fromEntries(
    changedIn(fields, typed).map((field) => [
      field.name,
      { value: valueFrom(field.variable, currentOf(field, typed)) },
    ]),
  )
}

/** The fields that somebody else changed since `before`; a person who typed there did not see that. */
export function changedMeanwhile(before: readonly Field[], now: readonly Field[]): readonly Field[] {
  return now.filter((field) => before.find(({ name }) => name === field.name)?.held !== field.held)
}
