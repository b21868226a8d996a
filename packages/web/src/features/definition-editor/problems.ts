import { ServerDefinition, Template } from '@innkeeper/contract/definition'
import { problemsOfDefinition } from '@innkeeper/contract/definition-problems'
import { isOrdinaryKey } from '@innkeeper/contract/names'
import type { Refusal } from '@innkeeper/contract/refusals'
import { toDockerForm, validateDockerForm } from '../../ui/docker-form.ts'
import { isBlank, problemsOfSteps, type StepProblem } from '../steps/step-rules.ts'
import { type Draft, rawOf, type SectionId, sectionOf, stepPaths } from './draft.ts'
import { environmentIn, environmentsIn, kindOf } from './environments.ts'
import { type Path, type Raw, stepsAt } from './raw.ts'
import { problemOfValue, problemsOfNames, type VariableProblem } from './variables.ts'

export type Kind = 'template' | 'server'

/** Something that stands against a definition. */
export type Problem = {
  readonly section: SectionId
  /** The field: `variables/3/name`, `install/2.files`, `environments/0/image`, or a path of the JSON. */
  readonly at: string
  /** Whether the definition cannot be saved like this; otherwise it is only told. */
  readonly isBlocking: boolean
} & (
  | { readonly is: 'variable'; readonly why: VariableProblem; readonly name: string }
  | { readonly is: 'step'; readonly why: StepProblem; readonly number: number; readonly field: string }
  | { readonly is: 'name'; readonly name: string }
  | { readonly is: 'docker' }
  | { readonly is: 'pattern'; readonly why: string }
  | { readonly is: 'refusal'; readonly refusal: Refusal }
  | { readonly is: 'schema' }
)

export const readyPatternField = 'run.readyPattern'

const wrongContainer: Problem = {
  is: 'docker',
  section: 'environments',
  at: 'environments',
  isBlocking: true,
}

/** What stands against a draft, in the order of the editor's parts. */
export function problemsIn(draft: Draft, base: Raw, kind: Kind): readonly Problem[] {
  const names = problemsOfNames(draft.variables)
  const variables = draft.variables.flatMap((row): Problem[] => {
    const wrongName = names.get(row.id)
    const wrongValue = problemOfValue(row)
    const common = { section: 'variables', is: 'variable', name: row.name } as const
    return [
      ...(wrongName ? [{ ...common, at: `variables/${row.id}/name`, why: wrongName, isBlocking: true }] : []),
      ...(wrongValue ? [{ ...common, at: `variables/${row.id}/value`, why: wrongValue, isBlocking: false }] : []),
    ]
  })
  // The rows say themselves what is wrong with their names, and the containers with their fields.
  const whole = problemsOfWhole(rawOf(draft, base), kind).filter(
    (problem) => problem.is !== 'refusal' || problem.refusal.code !== 'ErrVariableName',
  )
  const isContainerRefused = whole.some(({ is, section }) => is === 'refusal' && section === 'environments')
  return [
    ...whole,
    ...variables,
    ...problemsOfStepLists(draft.raw),
    ...problemsOfEnvironmentVars(draft),
    ...(isContainerRefused ? [] : problemsOfDocker(draft.raw, kind)),
    ...(draft.isContainerWrong ? [wrongContainer] : []),
  ]
}

/** What the panel or the node would refuse. */
export function problemsOfWhole(raw: Raw, kind: Kind): readonly Problem[] {
  const read = (kind === 'template' ? Template : ServerDefinition).safeParse(raw)
  if (read.success)
    return problemsOfDefinition(read.data).map((refusal): Problem => {
      const { field = '', reason } = refusal.metadata
      const path = String(field).split('.')
      const section = sectionOf(path)
      const common = { section, isBlocking: true }
      if (field === readyPatternField) return { ...common, is: 'pattern', at: readyPatternField, why: String(reason) }
      const isOfStep = Object.hasOwn(stepPaths, section) && section !== 'run'
      const at = isOfStep ? `${section}/${path.slice(-2).join('.')}` : String(field)
      return { ...common, is: 'refusal', at, refusal }
    })
  const paths = new Map(read.error.issues.map(({ path }) => [path.join('.'), path as Path]))
  return [...paths].map(([at, path]) => ({ is: 'schema', section: sectionOf(path), at, isBlocking: true }))
}

/** Whether the editor has a field for everything that is wrong; otherwise it has to be put right as JSON. */
export function hasFieldFor({ at, is }: Problem): boolean {
  return (
    is === 'refusal' ||
    ['type', 'display', readyPatternField].includes(at) ||
    /^(install|uninstall|run\.pre|run\.post)\.\d+\.type$/.test(at)
  )
}

/** Whether the JSON shows it too: what is only wrong with the rows of the form is not in there. */
export function isInJson({ is }: Problem): boolean {
  return is === 'schema' || is === 'pattern' || is === 'refusal'
}

function problemsOfStepLists(raw: Raw): Problem[] {
  return Object.entries(stepPaths).flatMap(([section, path]) =>
    [...problemsOfSteps(stepsAt(raw, path))].flatMap(([at, why]): Problem[] => {
      const [number = '0', field = ''] = at.split('.')
      const step = stepsAt(raw, path)[Number(number)]
      // One in which nothing was said is left out when it is saved.
      if (!step || isBlank(step)) return []
      const problem: Problem = {
        is: 'step',
        section: section as keyof typeof stepPaths,
        at: `${section}/${at}`,
        why,
        number: Number(number) + 1,
        field,
        isBlocking: false,
      }
      return [problem]
    }),
  )
}

function problemsOfEnvironmentVars({ environmentVars }: Draft): Problem[] {
  const names = environmentVars.map(({ name }) => name)
  return environmentVars.flatMap(({ id, name }, index): Problem[] => {
    const isWrong = name !== '' && (names.indexOf(name) !== index || !isOrdinaryKey(name) || /[\s=]/.test(name))
    return isWrong ? [{ is: 'name', section: 'env', at: `env/${id}`, name, isBlocking: true }] : []
  })
}

function problemsOfDocker(raw: Raw, kind: Kind): Problem[] {
  const own = environmentIn(raw)
  const environments = kind === 'template' ? environmentsIn(raw) : own ? [own] : []
  return environments.flatMap((environment, index) => {
    if (kindOf(environment) !== 'docker') return []
    const objections = [...validateDockerForm(toDockerForm(environment))]
    return objections.map(
      ([field]): Problem => ({
        is: 'docker',
        section: 'environments',
        at: `environments/${index}/${field}`,
        isBlocking: false,
      }),
    )
  })
}
