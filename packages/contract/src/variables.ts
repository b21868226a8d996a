import { z } from 'zod'
import { hasLineBreak, shown } from './escape.ts'
import { limits } from './limits.ts'
import { isOrdinaryKey, VariableName } from './names.ts'
import { Refusal } from './refusals.ts'

/** A value as templates hold it: often text even for numbers and booleans. Kept exactly as given. */
export const VariableValue = z.union([z.string(), z.number(), z.boolean(), z.null()])
export type VariableValue = z.infer<typeof VariableValue>

export const variableTypes = ['string', 'boolean', 'integer', 'option'] as const
export type VariableType = (typeof variableTypes)[number]

const lenientFlag = z.union([z.boolean(), z.enum(['true', 'false']).transform((text) => text === 'true')])

/** One variable of a definition. Read leniently; unknown fields stay. */
export const Variable = z.looseObject({
  /** Absent or unknown means `string`. */
  type: z.string().optional(),
  value: VariableValue.optional(),
  display: z.string().optional(),
  desc: z.string().optional(),
  required: lenientFlag.optional(),
  /** Never shown to the users of a server. */
  internal: lenientFlag.optional(),
  userEdit: lenientFlag.optional(),
  /** Whether a value may have several lines. */
  multiline: lenientFlag.optional(),
  /** Characters that a value must not have, because the program would read more than a value in them. */
  forbiddenCharacters: z.string().nullish(),
  /** The range of an `integer`, both ends included; a number or its digits. */
  min: VariableValue.optional(),
  max: VariableValue.optional(),
  options: z.array(z.looseObject({ value: VariableValue, display: z.string().optional() })).nullish(),
})
export type Variable = z.infer<typeof Variable>

export const Variables = z.record(z.string().refine(isOrdinaryKey), Variable)
export type Variables = Readonly<Record<string, Variable>>

/** New values by variable name: `{"data":{"port":{"value":"27015"}}}`. */
export const VariableValues = z.record(VariableName, z.looseObject({ value: VariableValue.optional() }))
export type VariableValues = Readonly<Record<string, { readonly value?: VariableValue }>>

export function typeOf(variable: Variable): VariableType {
  return variableTypes.find((type) => type === variable.type) ?? 'string'
}

/** As text for a command line or a file; a missing value is empty, numbers are plain. */
export function textOf(value: VariableValue | undefined): string {
  return value === undefined || value === null ? '' : String(value)
}

/** `"true"`, `"False"` and `true` are what they look like; anything else is `undefined`. */
export function booleanOf(value: VariableValue | undefined): boolean | undefined {
  const text = textOf(value).trim().toLowerCase()
  return text === 'true' ? true : text === 'false' ? false : undefined
}

export const portMax = 65_535

/** Whether a value may have several lines: the variable says so, or has some already, as in published templates. */
export function isMultiline(variable: Variable): boolean {
  return variable.multiline === true || hasLineBreak(textOf(variable.value))
}

/**
 * Why a value does not fit its variable; `undefined` when it does. Templates keep what they hold, so this judges only
 * what a person enters. An empty value of an optional variable always fits. `label` is what people call it.
 */
export function objectionTo(
  name: string,
  variable: Variable,
  value: VariableValue | undefined,
  label = name,
): Refusal | undefined {
  const text = textOf(value)
  if (text === '') return variable.required ? new Refusal('ErrFieldRequired', { field: label }) : undefined
  if (new TextEncoder().encode(text).length > limits.variableValueBytes)
    return new Refusal('ErrFieldTooLarge', { field: label, max: limits.variableValueBytes })
  if (typeOf(variable) !== 'option') {
    if (hasLineBreak(text) && !isMultiline(variable)) return new Refusal('ErrFieldNotOneLine', { field: label })
    const forbidden = [...text].filter((char) => char === '\0' || variable.forbiddenCharacters?.includes(char))
    if (forbidden.length > 0) return new Refusal('ErrFieldCharacters', { field: label, characters: shown(forbidden) })
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
 * The numbers that fit an `integer` variable. `port` is where the panel reads that a server listens: 1 to 65535 unless the
 * template has its own range or, as for programs that do not listen, the value 0.
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

/** Whether a person who is no administrator may see and change it on the server's settings. */
export function isUserEditable(variable: Variable): boolean {
  return variable.userEdit === true && variable.internal !== true
}

/** Whether a variable of this name holds what not everybody who reads a console should see. */
export const isSecretName = (name: string): boolean => /passw|secret|token|api_?key|credential/i.test(name)
