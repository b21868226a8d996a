import { z } from 'zod'
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
  switch (typeOf(variable)) {
    case 'boolean':
      return booleanOf(value) === undefined ? new Refusal('ErrFieldNotBoolean', { field: label }) : undefined
    case 'integer':
      if (!/^\s*[+-]?\d+\s*$/.test(text)) return new Refusal('ErrFieldNotWhole', { field: label })
      // The panel reads where a server listens from this one.
      if (name !== 'port' || (/^\d+$/.test(text.trim()) && Number(text) <= portMax)) return undefined
      return new Refusal('ErrFieldNotBetween', { field: label, min: 0, max: portMax })
    case 'option': {
      const isOffered = (variable.options ?? []).some((option) => textOf(option.value) === text)
      return isOffered ? undefined : new Refusal('ErrFieldNotOffered', { field: label })
    }
    case 'string':
      return undefined
  }
}

/** Whether a person who is no administrator may see and change it on the server's settings. */
export function isUserEditable(variable: Variable): boolean {
  return variable.userEdit === true && variable.internal !== true
}

/** Whether a variable of this name holds what not everybody who reads a console should see. */
export const isSecretName = (name: string): boolean => /passw|secret|token|api_?key|credential/i.test(name)
