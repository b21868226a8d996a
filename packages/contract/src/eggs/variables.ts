import type { Variable } from '../definitions/variables.ts'
import { isInnerPath } from '../text/inner-path.ts'
import { patternProblem } from '../text/pattern.ts'
import type { EggVariable } from './egg.ts'
import { findClassRun, findPattern, joinSplitRegexes, literal, negatedClass } from './laravel-regex.ts'

const maxOptions = 1_000
/** Numbers of more digits are not exact. */
const maxDigits = 15

/** Rules that need no limit here: they are about the request, or say what a text is anyway. */
const plainRules = new Set([
  'nullable',
  'sometimes',
  'string',
  'present',
  'filled',
  'bail',
  'required',
  'boolean',
  'bool',
])
const numericRules = ['numeric', 'integer', 'int', 'decimal']

/** Rules that are a pattern. Laravel takes letters of all scripts unless a rule says `ascii`. */
const patternRules: Readonly<Record<string, string>> = {
  alpha: '^[\\pL\\pM]+$',
  'alpha:ascii': '^[a-zA-Z]+$',
  alpha_num: '^[\\pL\\pM\\pN]+$',
  'alpha_num:ascii': '^[a-zA-Z0-9]+$',
  alpha_dash: '^[\\pL\\pM\\pN_-]+$',
  'alpha_dash:ascii': '^[a-zA-Z0-9_-]+$',
  ascii: '^[\\x00-\\x7F]*$',
  lowercase: '^\\P{Lu}*$',
  uppercase: '^\\P{Ll}*$',
  url: '^[a-zA-Z][a-zA-Z0-9+.-]*://[^\\s/?#]+\\S*$',
  ipv4: `^${ipv4()}$`,
  ipv6: '^[0-9a-fA-F:]*:[0-9a-fA-F:.]*$',
  ip: `^(?:${ipv4()}|[0-9a-fA-F:]*:[0-9a-fA-F:.]*)$`,
  email: '^[^\\s@]+@[^\\s@]+$',
  uuid: '^[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$',
  ulid: '^[0-7][0-9a-hjkmnp-tv-zA-HJKMNP-TV-Z]{25}$',
  mac_address: '^[0-9a-fA-F]{2}(?:[:-]?[0-9a-fA-F]{2}){5}$',
  hex_color: '^#(?:[0-9a-fA-F]{3,4}|[0-9a-fA-F]{6}|[0-9a-fA-F]{8})$',
}

/** Two values that mean on and off. */
const switches = [
  ['true', 'false'],
  ['1', '0'],
  ['yes', 'no'],
  ['on', 'off'],
] as const

/**
 * Converts a variable of an egg. Its rules are those of Laravel: `min`, `max`, `between` and `size` limit the value of a
 * number and the length of a text. Calls `drop` once for each rule that is not kept.
 */
export function getVariable(variable: EggVariable, drop: (where: string) => void) {
  const { name, description, env_variable, user_viewable, user_editable } = variable
  const value = withoutReturns(variable.default_value)
  const rules = joinSplitRegexes(variable.rules ?? []).flatMap(parseRule)
  const isRequired = rules.some((rule) => rule.name === 'required')
  const limits = getLimits(rules, { value, isRequired }, (rule) =>
    drop(`variables.${env_variable}.rules.${rule.slice(0, 100)}`),
  )
  return {
    ...limits,
    ...(user_editable && limits.type === 'string' && isProgramFile(env_variable, value) && { type: 'path' }),
    display: name || env_variable,
    desc: withoutReturns(description),
    value,
    required: isRequired,
    // The other panel hides a variable that is not viewable, even when it is editable.
    userEdit: user_editable && user_viewable,
    ...(user_viewable && !user_editable && { userView: true }),
    internal: !user_viewable,
  }
}

/** Whether a variable is clearly a file that the image runs, such as `SERVER_JARFILE`. */
function isProgramFile(name: string, value: string): boolean {
  return /(?:^|_)(?:JAR|JAR_?FILE|MAIN_FILE|PY_FILE|JS_FILE)$/i.test(name) && (value === '' || isInnerPath(value))
}

interface Rule {
  readonly name: string
  readonly argument: string
  readonly text: string
}

function parseRule(text: string): Rule[] {
  const rule = text.trim()
  const at = rule.indexOf(':')
  const name = (at < 0 ? rule : rule.slice(0, at)).trim().toLowerCase().replaceAll('-', '_')
  return name === '' ? [] : [{ name, argument: at < 0 ? '' : rule.slice(at + 1), text: rule }]
}

type Limits = Pick<
  Variable,
  'type' | 'options' | 'min' | 'max' | 'minLength' | 'maxLength' | 'trueValue' | 'falseValue'
> & {
  readonly pattern?: string | string[]
}

interface Default {
  readonly value: string
  readonly isRequired: boolean
}

function getLimits(rules: readonly Rule[], initial: Default, drop: (rule: string) => void): Limits {
  const choices = findChoices(rules, initial.value, drop)
  if (choices)
    return (
      findSwitch(choices, initial) ?? { type: 'option', options: choices.map((value) => ({ value, display: value })) }
    )
  const collected = new LimitCollector(rules)
  for (const rule of rules) if (!plainRules.has(rule.name) && !collected.add(rule)) drop(rule.text)
  return collected.limits()
}

/** The values that `in` or `boolean` allow. */
function findChoices(rules: readonly Rule[], value: string, drop: (rule: string) => void): string[] | undefined {
  const list = rules.find(({ name }) => name === 'in')
  if (list) {
    // No value is allowed when it is not required, so it is no choice of its own.
    const choices = [...new Set(parseArguments(list.argument))].filter((choice) => choice !== '')
    if (choices.length > maxOptions) drop(list.text)
    if (choices.length > 0) return choices.slice(0, maxOptions)
  }
  if (!rules.some(({ name }) => name === 'boolean' || name === 'bool')) return undefined
  const forms = switches.find((pair) => pair.some((form) => form === value.toLowerCase())) ?? (['1', '0'] as const)
  return forms.map((form) => getInCase(value, form))
}

/** A boolean when the choices are on and off, and there is no third state: nothing. */
function findSwitch(choices: readonly string[], { value, isRequired }: Default): Limits | undefined {
  const [on, off] =
    switches
      .map((pair) => pair.map((form) => choices.find((choice) => choice.toLowerCase() === form)))
      .find((pair) => pair.every((choice) => choice !== undefined)) ?? []
  const isSwitch = choices.length === 2 && on !== undefined && off !== undefined
  if (!isSwitch || !(isRequired || choices.includes(value))) return undefined
  return { type: 'boolean', ...(on !== 'true' || off !== 'false' ? { trueValue: on, falseValue: off } : {}) }
}

function getInCase(sample: string, word: string): string {
  if (sample === '' || sample === sample.toLowerCase()) return word
  return sample === sample.toUpperCase() ? word.toUpperCase() : word.slice(0, 1).toUpperCase() + word.slice(1)
}

/** Collects the limits of all rules of one variable. */
class LimitCollector {
  readonly #isNumeric: boolean
  #isInteger: boolean
  readonly #range: { min?: number; max?: number } = {}
  readonly #length: { min?: number; max?: number } = {}
  readonly #patterns = new Set<string>()

  constructor(rules: readonly Rule[]) {
    this.#isNumeric = rules.some(({ name }) => numericRules.includes(name))
    this.#isInteger = rules.some(({ name }) => name === 'integer' || name === 'int')
  }

  /** Returns whether the rule is kept. */
  add({ name, argument }: Rule): boolean {
    const [first, second] = parseArguments(argument).map(numberIn)
    switch (name) {
      case 'numeric':
      case 'integer':
      case 'int':
        return true
      case 'min':
      case 'gte':
        return this.#atLeast(first)
      case 'max':
      case 'lte':
        return this.#atMost(first)
      case 'gt':
        return this.#isWhole() && this.#atLeast(first === undefined ? undefined : Math.floor(first) + 1)
      case 'lt':
        return this.#isWhole() && this.#atMost(first === undefined ? undefined : Math.ceil(first) - 1)
      case 'between':
        return this.#between(first, second)
      case 'size':
        return this.#between(first, first)
      case 'digits':
        return this.#digits(first, first)
      case 'digits_between':
        return this.#digits(first, second)
      case 'min_digits':
        return this.#digits(first, undefined)
      case 'max_digits':
        return this.#digits(0, first)
      case 'regex':
        return this.#regex(argument)
      case 'not_regex':
        return this.#notRegex(argument)
      case 'starts_with':
        return this.#pattern(`^(?:${parseArguments(argument).map(literal).join('|')})`)
      case 'ends_with':
        return this.#pattern(`(?:${parseArguments(argument).map(literal).join('|')})$`)
      case 'url':
        return this.#url(argument)
      default: {
        const key = argument === 'ascii' ? `${name}:ascii` : name
        return Object.hasOwn(patternRules, key) && this.#pattern(patternRules[key] ?? '')
      }
    }
  }

  limits(): Limits {
    const { min, max } = this.#range
    const [first, ...more] = this.#patterns
    const pattern = first === undefined ? {} : { pattern: more.length === 0 ? first : [first, ...more] }
    if (this.#isNumeric)
      return {
        type: this.#isInteger ? 'integer' : 'number',
        ...(min === undefined ? {} : { min: this.#isInteger ? Math.ceil(min) : min }),
        ...(max === undefined ? {} : { max: this.#isInteger ? Math.floor(max) : max }),
        ...pattern,
      }
    return {
      type: 'string',
      ...(this.#length.min ? { minLength: this.#length.min } : {}),
      ...(this.#length.max === undefined ? {} : { maxLength: this.#length.max }),
      ...pattern,
    }
  }

  /** Whether there is a next value: of integers and lengths, and not of decimal numbers. */
  #isWhole(): boolean {
    return this.#isInteger || !this.#isNumeric
  }

  #between(min: number | undefined, max: number | undefined): boolean {
    return min !== undefined && max !== undefined && this.#atLeast(min) && this.#atMost(max)
  }

  #atLeast(value: number | undefined): boolean {
    if (value === undefined) return false
    const limits = this.#isNumeric ? this.#range : this.#length
    limits.min = Math.max(limits.min ?? value, this.#isNumeric ? value : Math.ceil(value))
    return true
  }

  #atMost(value: number | undefined): boolean {
    if (value === undefined) return false
    const limits = this.#isNumeric ? this.#range : this.#length
    limits.max = Math.min(limits.max ?? value, this.#isNumeric ? value : Math.floor(value))
    return true
  }

  /** Only digits, and how many. */
  #digits(least: number | undefined, most: number | undefined): boolean {
    if (least === undefined) return false
    if (this.#isNumeric && (most ?? least) <= maxDigits) {
      this.#isInteger = true
      this.#atLeast(least <= 1 ? 0 : 10 ** (least - 1))
      return most === undefined || this.#atMost(10 ** most - 1)
    }
    return this.#pattern(`^[0-9]{${least},${most ?? ''}}$`)
  }

  #regex(argument: string): boolean {
    const pattern = findPattern(argument)
    if (pattern === undefined) return false
    if (patternProblem(pattern) === undefined) return this.#pattern(pattern)
    // Counts that are too expensive as a pattern are a length when they are all there is.
    const run = findClassRun(pattern)
    if (!run || this.#isNumeric) return false
    return (
      this.#pattern(`^${run.characters}*$`) &&
      this.#atLeast(run.min) &&
      (run.max === undefined || this.#atMost(run.max))
    )
  }

  /** Kept only where the opposite is a pattern, too. */
  #notRegex(argument: string): boolean {
    const pattern = findPattern(argument)
    const run = pattern === undefined ? undefined : findClassRun(pattern)
    if (run && run.min <= 1 && run.max === undefined) return this.#pattern(negatedClass(run.characters))
    return false
  }

  #url(argument: string): boolean {
    const schemes = parseArguments(argument).filter((scheme) => /^[a-z][a-z0-9+.-]*$/i.test(scheme))
    if (schemes.length === 0) return this.#pattern(patternRules.url ?? '')
    return this.#pattern(`^(?i:${schemes.map(literal).join('|')})://[^\\s/?#]+\\S*$`)
  }

  #pattern(pattern: string): boolean {
    if (patternProblem(pattern) !== undefined) return false
    this.#patterns.add(pattern)
    return true
  }
}

function ipv4(): string {
  const byte = '(?:25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])'
  return `${byte}(?:\\.${byte}){3}`
}

const withoutReturns = (text: string): string => text.replaceAll('\r', '')

/** The arguments of a rule, as in a line of CSV: quoted where they have a comma or a quotation mark. */
function parseArguments(text: string): string[] {
  const parts: string[] = []
  let part = ''
  let isQuoted = false
  for (let at = 0; at < text.length; at += 1) {
    const char = text.charAt(at)
    if (char === '"' && isQuoted && text.charAt(at + 1) === '"') {
      part += char
      at += 1
    } else if (char === '"' && (isQuoted || part.trim() === '')) {
      if (!isQuoted) part = ''
      isQuoted = !isQuoted
    } else if (char === ',' && !isQuoted) {
      parts.push(part.trim())
      part = ''
    } else part += char
  }
  return [...parts, part.trim()]
}

function numberIn(text: string): number | undefined {
  return /^[+-]?(?:\d{1,18}(?:\.\d{0,18})?|\.\d{1,18})$/.test(text) ? Number(text) : undefined
}
