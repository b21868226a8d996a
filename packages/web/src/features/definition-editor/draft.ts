import type { Step } from '@innkeeper/contract/operations'
import { withoutBlanks } from '../steps/step-rules.ts'
import { isObject, isSame, type Path, partAt, type Raw, stepsAt, textOfAny, withPart } from './raw.ts'

/** A variable while it is edited: its name may be empty or one that another has. */
export interface VariableRow {
  readonly id: number
  readonly name: string
  readonly variable: Raw
}

/** An environment variable while it is edited. */
export interface TextRow {
  readonly id: number
  readonly name: string
  /** As given until somebody edits it. */
  readonly value: unknown
}

/** A definition in the editor. What its rows stand for is theirs to say; the rest is in `raw`. */
export interface Draft {
  readonly raw: Raw
  readonly variables: readonly VariableRow[]
  readonly environmentVars: readonly TextRow[]
  /** Whether something typed into the fields of the container cannot be right. */
  readonly isContainerWrong?: boolean
}

const dataPath: Path = ['data']
const environmentPath: Path = ['run', 'environmentVars']
export const stepPaths = {
  install: ['install'],
  pre: ['run', 'pre'],
  post: ['run', 'post'],
  uninstall: ['uninstall'],
} as const satisfies Readonly<Record<string, Path>>

export function draftOf(raw: Raw): Draft {
  return {
    raw,
    variables: entriesAt(raw, dataPath).map(([name, variable], index) => ({
      id: index + 1,
      name,
      variable: isObject(variable) ? variable : {},
    })),
    environmentVars: entriesAt(raw, environmentPath).map(([name, value], index) => ({ id: index + 1, name, value })),
  }
}

/** The definition that a draft stands for: without rows that have no name, and without what was added and left empty. */
export function rawOf({ raw, variables, environmentVars }: Draft, base: Raw): Raw {
  const before = entriesAt(base, dataPath).map(([, variable]) => JSON.stringify(variable))
  const data = namedOnce(variables, ({ variable }) =>
    before.includes(JSON.stringify(variable)) ? variable : withoutBlankOptions(variable),
  )
  const texts = namedOnce(environmentVars, ({ value }) => value)
  let whole = raw
  if (!isSame(data, partAt(raw, dataPath) ?? {})) whole = withPart(whole, dataPath, data)
  if (!isSame(texts, partAt(raw, environmentPath) ?? {})) whole = withPart(whole, environmentPath, texts)
  for (const path of Object.values(stepPaths)) {
    const old = new Set(stepsAt(base, path).map((step) => JSON.stringify(step)))
    const steps = withoutBlanks(stepsAt(whole, path), (step: Step) => !old.has(JSON.stringify(step)))
    if (!isSame(steps, stepsAt(whole, path))) whole = withPart(whole, path, steps)
  }
  return whole
}

/** Rows by their names; one without a name, and one whose name is taken, is left out. */
function namedOnce<R extends { readonly name: string }>(rows: readonly R[], valueIn: (row: R) => unknown): Raw {
  const named = rows.filter(({ name }) => name.trim() !== '' && name !== '__proto__')
  // The later of two entries would win, and the first is the one that was there.
  return Object.fromEntries(
    named
      .filter(({ name }, index) => named.findIndex((other) => other.name === name) === index)
      .map((row) => [row.name, valueIn(row)]),
  )
}

function withoutBlankOptions(variable: Raw): Raw {
  if (!Array.isArray(variable.options)) return variable
  const options = variable.options.filter(
    (option) => !isObject(option) || textOfAny(option.value) !== '' || textOfAny(option.display) !== '',
  )
  return options.length === variable.options.length ? variable : { ...variable, options }
}

function entriesAt(raw: Raw, path: Path): [string, unknown][] {
  const part = partAt(raw, path)
  return isObject(part) ? Object.entries(part) : []
}

export function nextId(rows: readonly { readonly id: number }[]): number {
  return Math.max(0, ...rows.map(({ id }) => id)) + 1
}

/** The parts of a definition as the editor shows them, in their order. */
export const sections = [
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
] as const
export type SectionId = (typeof sections)[number]

/** The part to which a place belongs. */
export function sectionOf([first, second]: Path): SectionId {
  if (first === 'run') {
    if (second === 'pre' || second === 'post') return second
    if (second === 'environmentVars') return 'env'
    return second === 'stop' || second === 'stopCode' ? 'shutdown' : 'run'
  }
  if (first === 'data') return 'variables'
  if (first === 'environment' || first === 'supportedEnvironments') return 'environments'
  return sections.find((section) => section === first) ?? 'general'
}

/** The parts in which two definitions differ. */
export function changedSections(before: Raw, after: Raw): readonly SectionId[] {
  const paths = [before, after].flatMap((raw) => [
    ...Object.keys(raw)
      .filter((key) => key !== 'run')
      .map((key): Path => [key]),
    ...(isObject(raw.run) ? Object.keys(raw.run) : []).map((key): Path => ['run', key]),
  ])
  const changed = new Set(paths.filter((path) => !isSame(partAt(before, path), partAt(after, path))).map(sectionOf))
  return sections.filter((section) => changed.has(section))
}
