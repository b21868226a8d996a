import type { Step } from '@innkeeper/contract/definitions/operations'
import type { PlayerActionType } from '@innkeeper/contract/definitions/player-actions'
import { removeBlankSteps } from '../steps/step-rules.ts'
import { getIn, getSteps, isObject, isSameJson, type JsonObject, type Path, setIn, toText } from './json-path.ts'

/** A variable in the editor: its name may be empty or a duplicate. */
export interface VariableDraft {
  readonly id: number
  readonly name: string
  readonly variable: JsonObject
}

/** An environment variable in the editor. */
export interface EnvVarDraft {
  readonly id: number
  readonly name: string
  /** The parsed value until it is edited, then text. */
  readonly value: unknown
}

/** A definition in the editor. Variables and environment variables are edited as rows, which replace those in `raw`. */
export interface DefinitionDraft {
  readonly raw: JsonObject
  readonly variables: readonly VariableDraft[]
  readonly environmentVars: readonly EnvVarDraft[]
  /** Whether a container field holds a value that `raw` cannot represent. */
  readonly isContainerInvalid?: boolean
}

const dataPath: Path = ['data']
const environmentPath: Path = ['run', 'environmentVars']
export const stepPaths = {
  install: ['install'],
  pre: ['run', 'pre'],
  post: ['run', 'post'],
  uninstall: ['uninstall'],
} as const satisfies Readonly<Record<string, Path>>

export function toDraft(raw: JsonObject): DefinitionDraft {
  return {
    raw,
    variables: getEntries(raw, dataPath).map(([name, variable], index) => ({
      id: index + 1,
      name,
      variable: isObject(variable) ? variable : {},
    })),
    environmentVars: getEntries(raw, environmentPath).map(([name, value], index) => ({ id: index + 1, name, value })),
  }
}

/**
 * The definition of a draft. Leaves out rows without a name, and steps, options and patterns that were added and
 * left empty.
 */
export function toDefinition({ raw, variables, environmentVars }: DefinitionDraft, base: JsonObject): JsonObject {
  const saved = new Set(getEntries(base, dataPath).map(([, variable]) => JSON.stringify(variable)))
  const data = uniqueByName(variables, ({ variable }) =>
    saved.has(JSON.stringify(variable)) ? variable : removeBlankOptions(variable),
  )
  const envVars = uniqueByName(environmentVars, ({ value }) => value)
  let definition = isSameJson(raw.prompts, base.prompts) ? raw : removeBlankPatterns(raw)
  if (!isSameJson(data, getIn(raw, dataPath) ?? {})) definition = setIn(definition, dataPath, data)
  if (!isSameJson(envVars, getIn(raw, environmentPath) ?? {})) definition = setIn(definition, environmentPath, envVars)
  for (const path of Object.values(stepPaths)) {
    const savedSteps = new Set(getSteps(base, path).map((step) => JSON.stringify(step)))
    const steps = removeBlankSteps(getSteps(definition, path), (step: Step) => !savedSteps.has(JSON.stringify(step)))
    if (!isSameJson(steps, getSteps(definition, path))) definition = setIn(definition, path, steps)
  }
  return definition
}

/** An object of the rows by name, without rows that have no name and without later duplicates. */
function uniqueByName<R extends { readonly name: string }>(
  rows: readonly R[],
  getValue: (row: R) => unknown,
): JsonObject {
  const named = rows.filter(({ name }) => name.trim() !== '' && name !== '__proto__')
  return Object.fromEntries(
    named
      .filter(({ name }, index) => named.findIndex((other) => other.name === name) === index)
      .map((row) => [row.name, getValue(row)]),
  )
}

function removeBlankOptions(variable: JsonObject): JsonObject {
  if (!Array.isArray(variable.options)) return variable
  const options = variable.options.filter(
    (option) => !isObject(option) || toText(option.value) !== '' || toText(option.display) !== '',
  )
  return options.length === variable.options.length ? variable : { ...variable, options }
}

function getEntries(raw: JsonObject, path: Path): [string, unknown][] {
  const value = getIn(raw, path)
  return isObject(value) ? Object.entries(value) : []
}

/** The sections of the editor in their order. */
export const sectionIds = [
  'general',
  'variables',
  'install',
  'run',
  'shutdown',
  'pre',
  'post',
  'env',
  'environments',
  'uninstall',
  'requirements',
  'groups',
  'prompts',
  'query',
  'players',
  'liveness',
] as const
export type SectionId = (typeof sectionIds)[number]

/** The section that edits a path of the definition. */
export function getSection([first, second]: Path): SectionId {
  if (first === 'run') {
    if (second === 'pre' || second === 'post') return second
    if (second === 'environmentVars') return 'env'
    return second === 'stop' || second === 'stopCode' || second === 'stopTimeout' ? 'shutdown' : 'run'
  }
  if (first === 'data') return 'variables'
  if (first === 'environment' || first === 'supportedEnvironments') return 'environments'
  return sectionIds.find((section) => section === first) ?? 'general'
}

/** The sections in which two definitions differ. */
export function changedSections(before: JsonObject, after: JsonObject): readonly SectionId[] {
  const paths = [before, after].flatMap((raw) => [
    ...Object.keys(raw)
      .filter((key) => key !== 'run')
      .map((key): Path => [key]),
    ...(isObject(raw.run) ? Object.keys(raw.run) : []).map((key): Path => ['run', key]),
  ])
  const changed = new Set(paths.filter((path) => !isSameJson(getIn(before, path), getIn(after, path))).map(getSection))
  return sectionIds.filter((section) => changed.has(section))
}

/** The questions of a definition; what is none is left out. */
export function getPrompts({ prompts }: JsonObject): readonly JsonObject[] {
  return Array.isArray(prompts) ? prompts.filter(isObject) : []
}

export function setPrompts(raw: JsonObject, prompts: readonly JsonObject[]): JsonObject {
  return setIn(raw, ['prompts'], prompts.length === 0 ? undefined : prompts)
}

const livenessChecksPath: Path = ['liveness', 'checks']

/** What shows that a server responds; what is none is left out. */
export function getLivenessChecks(raw: JsonObject): readonly JsonObject[] {
  const checks = getIn(raw, livenessChecksPath)
  return Array.isArray(checks) ? checks.filter(isObject) : []
}

/** Without a check, nothing else of the field has a meaning. */
export function setLivenessChecks(raw: JsonObject, checks: readonly JsonObject[]): JsonObject {
  return checks.length === 0 ? setIn(raw, ['liveness'], undefined) : setIn(raw, livenessChecksPath, checks)
}

const playerActionsPath: Path = ['players', 'actions']

/** The actions on players of a definition; what is none is left out. */
export function getPlayerActions(raw: JsonObject): readonly JsonObject[] {
  const actions = getIn(raw, playerActionsPath)
  return Array.isArray(actions) ? actions.filter(isObject) : []
}

/** Sets the command of the first action of a type, which an empty one removes. Everything else of the action is kept. */
export function setPlayerCommand(raw: JsonObject, type: PlayerActionType, command: string): JsonObject {
  const actions = getPlayerActions(raw)
  const index = actions.findIndex((action) => action.type === type)
  const before = actions[index] ?? { type }
  const at = index < 0 ? actions.length : index
  const next = actions.toSpliced(at, 1, ...(command === '' ? [] : [{ ...before, command }]))
  const changed = setIn(raw, playerActionsPath, next.length === 0 ? undefined : next)
  return isSameJson(changed.players, {}) ? setIn(changed, ['players'], undefined) : changed
}

/** Removes empty patterns, which every line would match. */
function removeBlankPatterns(raw: JsonObject): JsonObject {
  const prompts = getPrompts(raw)
  if (!prompts.some(({ patterns }) => Array.isArray(patterns) && patterns.includes(''))) return raw
  return setPrompts(raw, prompts.map(withoutBlankPatterns))
}

function withoutBlankPatterns(prompt: JsonObject): JsonObject {
  if (!Array.isArray(prompt.patterns)) return prompt
  const patterns = prompt.patterns.filter((pattern) => pattern !== '')
  return setIn(prompt, ['patterns'], patterns.length === 0 ? undefined : patterns)
}
