import { booleanOf, textOf, typeOf, type Variable, type VariableValue } from '@innkeeper/contract/variables'

/** Parses the text of an input. Numbers and booleans that the definition stores as text stay text. */
export function parseValue(variable: Variable, text: string): VariableValue {
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
