import {
  booleanForms,
  getText,
  getVariableType,
  isOn,
  type Variable,
  type VariableValue,
} from '@innkeeper/contract/definitions/variables'

/** Parses the text of an input. Numbers and booleans that the definition stores as text stay text. */
export function parseValue(variable: Variable, text: string): VariableValue {
  const isText = typeof variable.value === 'string'
  switch (getVariableType(variable)) {
    case 'boolean':
      return parseBoolean(variable, isOn(variable, text) ?? false)
    case 'integer':
      return isText || !/^\s*[+-]?\d{1,15}\s*$/.test(text) ? text.trim() : Number(text)
    case 'number':
      return isText || !/^\s*-?\d{1,10}(\.\d{0,4}[1-9])?\s*$/.test(text) ? text.trim() : Number(text)
    case 'option':
      return variable.options?.find((option) => getText(option.value) === text)?.value ?? text
    case 'path':
    case 'string':
      return text
  }
}

/** The value for on or off, in the form of the definition. */
function parseBoolean(variable: Variable, on: boolean): VariableValue {
  const { trueValue, falseValue, value } = variable
  if (trueValue === undefined && falseValue === undefined) return typeof value === 'string' ? String(on) : on
  const form = on ? (trueValue ?? true) : (falseValue ?? false)
  return typeof value === 'string' ? getText(form) : form
}

/** The text of a switch in the form of the variable. */
export function booleanText(variable: Variable, on: boolean): string {
  const forms = booleanForms(variable)
  return on ? forms.on : forms.off
}
