import type { EggVariable } from './egg.ts'

/** Rules without a counterpart that only limit text. */
const typeRules = [
  'required',
  'nullable',
  'sometimes',
  'string',
  'boolean',
  'bool',
  'integer',
  'int',
  'numeric',
  'present',
]

export function variableOf(variable: EggVariable, drop: (where: string) => void) {
  const { name, description, env_variable, default_value, user_viewable, user_editable } = variable
  const rules = (variable.rules ?? []).map((rule) => rule.trim()).filter(Boolean)
  const has = (...names: string[]) => names.some((rule) => rules.includes(rule))
  const isInteger = has('integer', 'int', 'numeric')
  const argument = (rule: string) => rules.find((candidate) => candidate.startsWith(`${rule}:`))?.slice(rule.length + 1)
  const range = argument('between')?.split(',')
  const options = argument('in')?.split(',')
  const bound = (text: string | undefined) =>
    isInteger && text && /^-?\d{1,15}$/.test(text) ? Number(text) : undefined
  const [min, max] = [bound(argument('min') ?? range?.[0]), bound(argument('max') ?? range?.[1])]
  for (const rule of rules) {
    const isKnown =
      typeRules.includes(rule) || rule.startsWith('in:') || (isInteger && /^(min|max|between):/.test(rule))
    if (!isKnown) drop(`variables.${env_variable}.rules.${rule.slice(0, 100)}`)
  }
  return {
    ...(options
      ? { type: 'option', options: options.slice(0, 1_000).map((value) => ({ value, display: value })) }
      : {
          type:
            has('boolean', 'bool') && /^(true|false|)$/.test(default_value)
              ? 'boolean'
              : isInteger
                ? 'integer'
                : 'string',
        }),
    display: name || env_variable,
    desc: description,
    value: default_value,
    required: has('required'),
    userEdit: user_editable && user_viewable,
    internal: !user_viewable,
    ...(min === undefined ? {} : { min }),
    ...(max === undefined ? {} : { max }),
  }
}
