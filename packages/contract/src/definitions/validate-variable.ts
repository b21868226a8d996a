import { Refusal } from '../errors/refusals.ts'
import { hasLineBreak, listCharacters } from '../text/escape.ts'
import { isInnerPath } from '../text/inner-path.ts'
import { compilePattern, matchedLineChars, patternProblem } from '../text/pattern.ts'
import {
  getPatterns,
  getText,
  getVariableType,
  isMultiline,
  isOn,
  maxVariableValueBytes,
  portMax,
  type Variable,
  type VariableValue,
} from './variables.ts'

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
  const text = getText(value)
  const type = getVariableType(variable)
  const isEmptyForm = type === 'boolean' && isOn(variable, text) !== undefined
  if (text === '')
    return variable.required && !isEmptyForm ? new Refusal('ErrFieldRequired', { field: label }) : undefined
  if (new TextEncoder().encode(text).length > maxVariableValueBytes)
    return new Refusal('ErrFieldTooLarge', { field: label, max: maxVariableValueBytes })
  if (type !== 'option') {
    if (hasLineBreak(text) && !isMultiline(variable)) return new Refusal('ErrFieldNotOneLine', { field: label })
    const forbidden = [...text].filter((char) => char === '\0' || variable.forbiddenCharacters?.includes(char))
    if (forbidden.length > 0)
      return new Refusal('ErrFieldCharacters', { field: label, characters: listCharacters(forbidden) })
  }
  switch (type) {
    case 'boolean':
      return isOn(variable, text) === undefined ? new Refusal('ErrFieldNotBoolean', { field: label }) : undefined
    case 'integer':
      if (!/^\s*[+-]?\d+\s*$/.test(text)) return new Refusal('ErrFieldNotWhole', { field: label })
      return outOfRange(Number(text), getRange(name, variable), label) ?? mismatch(text, variable, label)
    case 'number': {
      const number = findNumber(text)
      if (number === undefined) return new Refusal('ErrFieldNotNumber', { field: label })
      const range = { min: findNumber(variable.min), max: findNumber(variable.max) }
      return outOfRange(number, range, label) ?? mismatch(text, variable, label)
    }
    case 'option': {
      const isOffered = (variable.options ?? []).some((option) => getText(option.value) === text)
      return isOffered ? undefined : new Refusal('ErrFieldNotOffered', { field: label })
    }
    case 'path':
      if (!isInnerPath(text)) return new Refusal('ErrFieldNotPath', { field: label })
      return wrongLength(text, variable, label) ?? mismatch(text, variable, label)
    case 'string':
      return wrongLength(text, variable, label) ?? mismatch(text, variable, label)
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
export function getRange(name: string, variable: Variable): Range {
  const [min, max] = [findInteger(variable.min), findInteger(variable.max)]
  if (name !== 'port') return { min, max }
  return {
    min: Math.max(0, min ?? (findInteger(variable.value) === 0 ? 0 : 1)),
    max: Math.min(portMax, max ?? portMax),
  }
}

/** Returns why a pattern of a variable cannot be used; `undefined` when all can. */
export function problemOfPatterns(variable: Variable): string | undefined {
  return getPatterns(variable)
    .map(patternProblem)
    .find((problem) => problem !== undefined)
}

function findInteger(value: VariableValue | undefined): number | undefined {
  const text = getText(value).trim()
  return /^[+-]?\d{1,15}$/.test(text) ? Number(text) : undefined
}

/** Parses a decimal number such as `-0.5`, `.5` or `1e3`. */
export function findNumber(value: VariableValue | undefined): number | undefined {
  const text = getText(value).trim()
  return /^[+-]?(?:\d{1,100}(?:\.\d{0,100})?|\.\d{1,100})(?:e[+-]?\d{1,2})?$/i.test(text) ? Number(text) : undefined
}

function outOfRange(value: number, { min, max }: Range, field: string): Refusal | undefined {
  if ((min === undefined || value >= min) && (max === undefined || value <= max)) return undefined
  if (min !== undefined && max !== undefined) return new Refusal('ErrFieldNotBetween', { field, min, max })
  if (min !== undefined) return new Refusal('ErrFieldTooSmall', { field, min })
  return new Refusal('ErrFieldTooLarge', { field, max: max ?? value })
}

function wrongLength(text: string, variable: Variable, field: string): Refusal | undefined {
  const [min, max] = [findInteger(variable.minLength), findInteger(variable.maxLength)]
  const length = [...text].length
  if (min !== undefined && length < min) return new Refusal('ErrFieldLength', { field, length: min })
  if (max !== undefined && length > max) return new Refusal('ErrFieldTooLong', { field, max })
  return undefined
}

/** A stored pattern that is not valid is ignored, as a ready pattern is. */
function mismatch(text: string, variable: Variable, field: string): Refusal | undefined {
  const patterns = getPatterns(variable).filter((pattern) => patternProblem(pattern) === undefined)
  // Matching takes time in proportion to the length.
  if (patterns.length > 0 && text.length > matchedLineChars)
    return new Refusal('ErrFieldTooLong', { field, max: matchedLineChars })
  const missed = patterns.find((pattern) => !compilePattern(pattern).matcher(text).find())
  return missed === undefined ? undefined : new Refusal('ErrFieldPattern', { field, pattern: missed })
}
