import { booleanOf, textOf, typeOf, type Variable, type VariableValue } from '@innkeeper/contract/variables'

/** What was typed, in the form in which the definition holds the value: many hold numbers and booleans as text. */
export function valueFrom(variable: Variable, text: string): VariableValue {
  const isText = typeof variable.value === 'string'
  switch (typeOf(variable)) {
    case 'boolean': {
      const isOn = booleanOf(text) ?? false
      return isText ? String(isOn) : isOn
    }
    case 'integer':
      return isText || !/^\s*[+-]?\d{1,15}\s*$/.test(text) ? text.trim() : Number(text)
    case 'option':
      return variable.options?.find((option) => textOf(option.value) === text)?.value ?? text
    case 'string':
      return text
  }
}
