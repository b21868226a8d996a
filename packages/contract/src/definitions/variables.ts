import { z } from 'zod/mini'
import { hasLineBreak } from '../text/escape.ts'
import { Flag } from '../text/flag.ts'
import { isSafeKey, VariableName } from '../text/names.ts'

export const maxVariableValueBytes = 16_384

/** A value as in templates: often text even for numbers and booleans. Kept unchanged. */
export const VariableValue = z.union([z.string(), z.number(), z.boolean(), z.null()])
export type VariableValue = z.infer<typeof VariableValue>

/** A `path` names a file or folder below the server's folder, see `isInnerPath`. */
export const variableTypes = ['string', 'path', 'boolean', 'integer', 'number', 'option'] as const
export type VariableType = (typeof variableTypes)[number]

/** A variable of a definition. Parsed leniently; unknown fields are kept. */
export const Variable = z.looseObject({
  /** Absent or unknown means `string`. */
  type: z.optional(z.string()),
  value: z.optional(VariableValue),
  display: z.optional(z.string()),
  desc: z.optional(z.string()),
  required: z.optional(Flag),
  /** Hidden from the users of a server; administrators see and change it. */
  internal: z.optional(Flag),
  userEdit: z.optional(Flag),
  /** Users see the value even when they cannot change it. */
  userView: z.optional(Flag),
  /** Whether a value may have several lines. */
  multiline: z.optional(Flag),
  /** Characters that a value must not contain because the program would interpret them. */
  forbiddenCharacters: z.nullish(z.string()),
  /** The range of an `integer` or `number`, inclusive; a number or its digits. */
  min: z.optional(VariableValue),
  max: z.optional(VariableValue),
  /** The length of a `string` or `path` in characters, inclusive. */
  minLength: z.optional(VariableValue),
  maxLength: z.optional(VariableValue),
  /** Patterns (`pattern.ts`); each must match somewhere in a `string`, `path`, `integer` or `number`. */
  pattern: z.nullish(z.union([z.string(), z.array(z.string())])),
  /** How a `boolean` is stored and passed on, for example `1` and `0`. Default: `true` and `false`. */
  trueValue: z.optional(VariableValue),
  falseValue: z.optional(VariableValue),
  options: z.nullish(z.array(z.looseObject({ value: VariableValue, display: z.optional(z.string()) }))),
})
export type Variable = z.infer<typeof Variable>

export const Variables = z.record(z.string().check(z.refine(isSafeKey)), Variable)
export type Variables = Readonly<Record<string, Variable>>

/** New values by variable name: `{"data":{"port":{"value":"27015"}}}`. */
export const VariableValues = z.record(VariableName, z.looseObject({ value: z.optional(VariableValue) }))
export type VariableValues = Readonly<Record<string, { readonly value?: VariableValue }>>

export function getVariableType(variable: Variable): VariableType {
  return variableTypes.find((type) => type === variable.type) ?? 'string'
}

/** Converts a value to text for a command line or a file; a missing value is empty. */
export function getText(value: VariableValue | undefined): string {
  return value === undefined || value === null ? '' : String(value)
}

/** Parses `"true"`, `"False"` and `true`; anything else is `undefined`. */
export function findBoolean(value: VariableValue | undefined): boolean | undefined {
  const text = getText(value).trim().toLowerCase()
  return text === 'true' ? true : text === 'false' ? false : undefined
}

export const portMax = 65_535

/** How a `boolean` variable writes on and off. */
export function booleanForms({ trueValue, falseValue }: Variable): { readonly on: string; readonly off: string } {
  return { on: getText(trueValue ?? true), off: getText(falseValue ?? false) }
}

/** Whether a value of a `boolean` variable means on or off, in its own form or as true or false; else `undefined`. */
export function isOn(variable: Variable, value: VariableValue | undefined = variable.value): boolean | undefined {
  const { on, off } = booleanForms(variable)
  const text = getText(value).trim()
  return text === on ? true : text === off ? false : findBoolean(text)
}

/** The value as it is stored: of a `boolean` with forms of its own, that form; anything else is unchanged. */
export function storedValue<T extends VariableValue | undefined>(variable: Variable, value: T): T | string {
  const { on, off } = booleanForms(variable)
  const hasForms = variable.trueValue !== undefined || variable.falseValue !== undefined
  const state = getVariableType(variable) === 'boolean' && hasForms ? isOn(variable, value) : undefined
  return state === undefined ? value : state ? on : off
}

/** The text that the program gets. */
export function passedText(variable: Variable): string {
  return getText(storedValue(variable, variable.value))
}

/** The patterns of a variable. */
export function getPatterns({ pattern }: Variable): readonly string[] {
  return [pattern ?? []].flat().filter((text) => text !== '')
}

/**
 * Whether a value may have several lines: the variable allows it, or its value already has some, as in published
 * templates.
 */
export function isMultiline(variable: Variable): boolean {
  return variable.multiline === true || hasLineBreak(getText(variable.value))
}

/** Whether users who are not administrators may see and change the variable. */
export function isUserEditable(variable: Variable): boolean {
  return variable.userEdit === true && variable.internal !== true
}

/** Whether users who are not administrators may see the variable. */
export function isUserVisible(variable: Variable): boolean {
  return (variable.userEdit === true || variable.userView === true) && variable.internal !== true
}

/** Whether a variable name looks like that of a secret. */
export const isSecretName = (name: string): boolean => /passw|secret|token|api_?key|credential/i.test(name)

/** Variables that the node displays, and results of steps. */
const shownNames: readonly string[] = ['ip', 'port', 'opForgeVersion', 'opNeoForgeVersion']
/** Shorter values are common words and numbers. */
const leastConcealed = 4

/**
 * Whether texts for people must not contain the value of a variable: its name is that of a secret, or it is a text that
 * the users of the server may not see. Numbers, switches and short texts are not secrets.
 */
export function isConcealed(name: string, variable: Variable | undefined): boolean {
  if (isSecretName(name)) return true
  if (!variable || isUserVisible(variable) || shownNames.includes(name)) return false
  const text = getText(variable.value).trim()
  const isText = getVariableType(variable) === 'string' || getVariableType(variable) === 'path'
  return isText && text.length >= leastConcealed && findBoolean(text) === undefined && !/^\d{1,5}$/.test(text)
}
