import { z } from 'zod/mini'
import { hasLineBreak, listCharacters } from './escape.ts'
import { isSafeKey, VariableName } from './names.ts'
import { Refusal } from './refusals.ts'

export const maxVariableValueBytes = 16_384

/** A value as in templates: often text even for numbers and booleans. Kept unchanged. */
export const VariableValue = z.union([z.string(), z.number(), z.boolean(), z.null()])
export type VariableValue = z.infer<typeof VariableValue>

export const variableTypes = ['string', 'boolean', 'integer', 'option'] as const
export type VariableType = (typeof variableTypes)[number]

const lenientFlag = z.union([
  z.boolean(),
  z.pipe(
    z.enum(['true', 'false']),
    z.transform((text) => text === 'true'),
  ),
])

/** A variable of a definition. Parsed leniently; unknown fields are kept. */
export const Variable = z.looseObject({
  /** Absent or unknown means `string`. */
  type: z.optional(z.string()),
  value: z.optional(VariableValue),
  display: z.optional(z.string()),
  desc: z.optional(z.string()),
  required: z.optional(lenientFlag),
  /** Hidden from the users of a server. */
  internal: z.optional(lenientFlag),
  userEdit: z.optional(lenientFlag),
  /** Whether a value may have several lines. */
  multiline: z.optional(lenientFlag),
  /** Characters that a value must not contain because the program would interpret them. */
  forbiddenCharacters: z.nullish(z.string()),
  /** The range of an `integer`, inclusive; a number or its digits. */
  min: z.optional(VariableValue),
  max: z.optional(VariableValue),
  options: z.nullish(z.array(z.looseObject({ value: VariableValue, display: z.optional(z.string()) }))),
})
export type Variable = z.infer<typeof Variable>

export const Variables = z.record(z.string().check(z.refine(isSafeKey)), Variable)
export type Variables = Readonly<Record<string, Variable>>

/** New values by variable name: `{"data":{"port":{"value":"27015"}}}`. */
export const VariableValues = z.record(VariableName, z.looseObject({ value: z.optional(VariableValue) }))
export type VariableValues = Readonly<Record<string, { readonly value?: VariableValue }>>

export function typeOf(variable: Variable): VariableType {
  return variableTypes.find((type) => type === variable.type) ?? 'string'
}

/** Converts a value to text for a command line or a file; a missing value is empty. */
export function textOf(value: VariableValue | undefined): string {
  return value === undefined || value === null ? '' : String(value)
}

/** Parses `"true"`, `"False"` and `true`; anything else is `undefined`. */
export function booleanOf(value: VariableValue | undefined): boolean | undefined {
  const text = textOf(value).trim().toLowerCase()
  return text === 'true' ? true : text === 'false' ? false : undefined
}

export const portMax = 65_535

/**
 * Whether a value may have several lines: the variable allows it, or its value already has some, as in published
 * templates.
 */
export function isMultiline(variable: Variable): boolean {
  return variable.multiline === true || hasLineBreak(textOf(variable.value))
}

/**
 * Returns why a value is not valid for its variable; `undefined` when it is. Only user input is validated, not values
 * in templates. An empty value of an optional variable is always valid. `label` is the display name.
 */
export function validateVariable(
  name: string,
  variable: Variable,
  value: VariableValue | undefined,
  label = name,
): Refusal | undefined {
  const text = textOf(value)
  if (text === '') return variable.required ? new Refusal('ErrFieldRequired', { field: label }) : undefined
  if (new TextEncoder().encode(text).length > maxVariableValueBytes)
    return new Refusal('ErrFieldTooLarge', { field: label, max: maxVariableValueBytes })
  if (typeOf(variable) !== 'option') {
    if (hasLineBreak(text) && !isMultiline(variable)) return new Refusal('ErrFieldNotOneLine', { field: label })
    const forbidden = [...text].filter((char) => char === '\0' || variable.forbiddenCharacters?.includes(char))
    if (forbidden.length > 0)
      return new Refusal('ErrFieldCharacters', { field: label, characters: listCharacters(forbidden) })
  }
  switch (typeOf(variable)) {
    case 'boolean':
      return booleanOf(value) === undefined ? new Refusal('ErrFieldNotBoolean', { field: label }) : undefined
    case 'integer':
      if (!/^\s*[+-]?\d+\s*$/.test(text)) return new Refusal('ErrFieldNotWhole', { field: label })
      return outOfRange(Number(text), rangeOf(name, variable), label)
    case 'option': {
      const isOffered = (variable.options ?? []).some((option) => textOf(option.value) === text)
      return isOffered ? undefined : new Refusal('ErrFieldNotOffered', { field: label })
    }
    case 'string':
      return undefined
  }
}

interface Range {
  readonly min: number | undefined
  readonly max: number | undefined
}

/**
 * The valid range of an `integer` variable. `port` is the port that the server listens on: 1 to 65535 unless the
 * template sets a range or, as for programs that do not listen, the value 0.
 */
export function rangeOf(name: string, variable: Variable): Range {
  const [min, max] = [integerOf(variable.min), integerOf(variable.max)]
  if (name !== 'port') return { min, max }
  return {
    min: Math.max(0, min ?? (integerOf(variable.value) === 0 ? 0 : 1)),
    max: Math.min(portMax, max ?? portMax),
  }
}

function integerOf(value: VariableValue | undefined): number | undefined {
  const text = textOf(value).trim()
  return /^[+-]?\d{1,15}$/.test(text) ? Number(text) : undefined
}

function outOfRange(value: number, { min, max }: Range, field: string): Refusal | undefined {
  if ((min === undefined || value >= min) && (max === undefined || value <= max)) return undefined
  if (min !== undefined && max !== undefined) return new Refusal('ErrFieldNotBetween', { field, min, max })
  if (min !== undefined) return new Refusal('ErrFieldTooSmall', { field, min })
  return new Refusal('ErrFieldTooLarge', { field, max: max ?? value })
}

/** Whether users who are not administrators may see and change the variable. */
export function isUserEditable(variable: Variable): boolean {
  return variable.userEdit === true && variable.internal !== true
}

/** Whether a variable name looks like that of a secret. */
export const isSecretName = (name: string): boolean => /passw|secret|token|api_?key|credential/i.test(name)
