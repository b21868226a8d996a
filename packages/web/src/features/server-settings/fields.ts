import { withoutExtraPorts } from '@innkeeper/contract/definitions/extra-ports'
import { validateVariable } from '@innkeeper/contract/definitions/validate-variable'
import {
  getText,
  getVariableType,
  isOn,
  isUserEditable,
  isUserVisible,
  type Variable,
  type VariableValues,
} from '@innkeeper/contract/definitions/variables'
import type { TFunction } from '../../i18n/i18n.tsx'
import { variableLabel } from '../../ui/names/variable-label.ts'
import { errorMessage } from '../../ui/text/error-message.ts'
import { booleanText, parseValue } from '../variables/parse-value.ts'

/** A variable in the form. */
export interface SettingField {
  readonly name: string
  readonly label: string
  readonly variable: Variable
  /** The saved value as text. */
  readonly saved: string
  /** Only administrators can change it. */
  readonly isAdminOnly: boolean
  /** This user cannot change it. */
  readonly isReadOnly: boolean
}

/** The text in each field, by variable name. */
export type ServerSettingsDraft = Readonly<Record<string, string>>

/** The variables that users can see, in the order of the definition; for administrators the other ones follow. */
export function getFields(
  t: TFunction,
  variables: Readonly<Record<string, Variable>>,
  isAdmin: boolean,
): readonly SettingField[] {
  // Extra ports have a card of their own.
  const fields = Object.entries(withoutExtraPorts(variables)).map(
    ([name, variable]): SettingField => ({
      name,
      label: variableLabel(t, name, variable),
      variable,
      saved: savedText(variable),
      isAdminOnly: !isUserEditable(variable),
      isReadOnly: !isAdmin && !isUserEditable(variable),
    }),
  )
  if (!isAdmin) return fields.filter(({ variable }) => isUserVisible(variable))
  return [...fields.filter((field) => !field.isAdminOnly), ...fields.filter((field) => field.isAdminOnly)]
}

/** The saved value as text. Booleans are normalized to the forms of their variable. */
function savedText(variable: Variable): string {
  const text = getText(variable.value)
  return getVariableType(variable) === 'boolean' ? booleanText(variable, isOn(variable, text) ?? false) : text
}

export function getSavedValues(fields: readonly SettingField[]): ServerSettingsDraft {
  return Object.fromEntries(fields.map(({ name, saved }) => [name, saved]))
}

/** The values of all variables; the draft replaces saved ones. */
export function mergeValues(
  variables: Readonly<Record<string, Variable>>,
  draft: ServerSettingsDraft,
): ReadonlyMap<string, string> {
  return new Map(Object.entries(variables).map(([name, { value }]) => [name, draft[name] ?? getText(value)]))
}

/** The request body: the changed values, each with the JSON type of the definition. */
export function toVariableValues(
  fields: readonly SettingField[],
  changed: Partial<ServerSettingsDraft>,
): VariableValues {
  return Object.fromEntries(
    fields.flatMap(({ name, variable }) => {
      const text = changed[name]
      return text === undefined ? [] : [[name, { value: parseValue(variable, text) }]]
    }),
  )
}

/** An error message for each changed field with an invalid value. */
export function validateFields(
  t: TFunction,
  fields: readonly SettingField[],
  values: ServerSettingsDraft,
  changed: readonly string[],
): Partial<Record<string, string>> {
  return Object.fromEntries(
    fields.flatMap(({ name, variable, label }) => {
      const error = changed.includes(name) ? validateVariable(name, variable, values[name] ?? '', label) : undefined
      return error ? [[name, errorMessage(t, error)]] : []
    }),
  )
}

/** A value as its field displays it. */
export function formatValue(t: TFunction, variable: Variable | undefined, value: string): string {
  if (!variable) return value
  if (getVariableType(variable) === 'boolean') return t(isOn(variable, value) ? 'common.On' : 'common.Off')
  return variable.options?.find((option) => getText(option.value) === value)?.display || value
}
