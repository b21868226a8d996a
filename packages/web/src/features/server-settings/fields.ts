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
  /** Its value as text, as it is saved. */
  readonly saved: string
  /** Only administrators may change it. */
  readonly isGuarded: boolean
}

/** The text in each field, by variable name. */
export type SettingsDraft = Readonly<Record<string, string>>

/** The variables in the order of the definition: what users may edit, then, for administrators, the rest. */
export function fieldsOf(variables: Readonly<Record<string, Variable>>, isAdmin: boolean): readonly Field[] {
  const fields = Object.entries(variables).map(
    ([name, variable]): Field => ({
      name,
      label: variable.display || name,
      variable,
      saved: savedText(variable),
      isGuarded: !isUserEditable(variable),
    }),
  )
  const open = fields.filter((field) => !field.isGuarded)
  return isAdmin ? [...open, ...fields.filter((field) => field.isGuarded && field.variable.internal !== true)] : open
}

/** The value of a variable as its field has it: a switch knows two texts. */
function savedText(variable: Variable): string {
  const text = textOf(variable.value)
  return typeOf(variable) === 'boolean' ? String(booleanOf(text) ?? false) : text
}

export function savedIn(fields: readonly Field[]): SettingsDraft {
  return Object.fromEntries(fields.map(({ name, saved }) => [name, saved]))
}

/** The values of all variables, those in the form as they are there now. */
export function valuesNow(
  variables: Readonly<Record<string, Variable>>,
  draft: SettingsDraft,
): ReadonlyMap<string, string> {
  return new Map(Object.entries(variables).map(([name, { value }]) => [name, draft[name] ?? textOf(value)]))
}

/** What is sent: the changed values, each in the form that the definition has it in. */
export function valuesToSend(fields: readonly Field[], changed: Partial<SettingsDraft>): VariableValues {
  return Object.fromEntries(
    fields.flatMap(({ name, variable }) => {
      const text = changed[name]
      return text === undefined ? [] : [[name, { value: valueFrom(variable, text) }]]
    }),
  )
}
