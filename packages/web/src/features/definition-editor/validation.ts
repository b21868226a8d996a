import { ServerDefinition, Template } from '@innkeeper/contract/definitions/definition'
import { problemsOfDefinition } from '@innkeeper/contract/definitions/definition-problems'
import type { Refusal } from '@innkeeper/contract/errors/refusals'
import { isSafeKey } from '@innkeeper/contract/text/names'
import type { TFunction } from '../../i18n/i18n.tsx'
import { toDockerForm, validateDockerForm } from '../../ui/server-forms/docker-form.ts'
import { errorMessage } from '../../ui/text/error-message.ts'
import { isBlank, type StepError, stepFieldName, validateSteps } from '../steps/step-rules.ts'
import { type DefinitionDraft, getSection, type SectionId, stepPaths, toDefinition } from './draft.ts'
import { canonicalType, getEnvironment, getEnvironments } from './environments.ts'
import { getSteps, type JsonObject, type Path } from './json-path.ts'
import { type VariableIssue, validateNames, validateValue } from './variables.ts'

export type DefinitionKind = 'template' | 'server'

/** Something that is wrong with a definition. */
export type ValidationIssue = {
  readonly section: SectionId
  /** The field: `variables/3/name`, `install/2.files`, `environments/0/image`, or a path of the JSON. */
  readonly path: string
  /** Whether it prevents saving; otherwise it is a warning. */
  readonly isBlocking: boolean
} & (
  | { readonly type: 'variable'; readonly reason: VariableIssue; readonly name: string }
  | { readonly type: 'step'; readonly reason: StepError; readonly number: number; readonly field: string }
  | { readonly type: 'name'; readonly name: string }
  | { readonly type: 'container' }
  | { readonly type: 'pattern'; readonly reason: string }
  | { readonly type: 'refusal'; readonly refusal: Refusal }
  | { readonly type: 'schema' }
)

export const readyPatternPath = 'run.readyPattern'

const invalidContainer: ValidationIssue = {
  type: 'container',
  section: 'environments',
  path: 'environments',
  isBlocking: true,
}

/** The issues of a draft. */
export function validateDraft(
  draft: DefinitionDraft,
  base: JsonObject,
  kind: DefinitionKind,
): readonly ValidationIssue[] {
  // Names of variables are checked as rows, which have paths of their own.
  const definition = validateDefinition(toDefinition(draft, base), kind).filter(
    (issue) => issue.type !== 'refusal' || issue.refusal.code !== 'ErrVariableName',
  )
  const isContainerRefused = definition.some(({ type, section }) => type === 'refusal' && section === 'environments')
  return [
    ...definition,
    ...validateVariables(draft),
    ...validateStepLists(draft.raw),
    ...validateEnvVars(draft),
    ...(isContainerRefused ? [] : validateContainers(draft.raw, kind)),
    ...(draft.isContainerInvalid ? [invalidContainer] : []),
  ]
}

/** The issues for which the panel or the node would refuse a definition. */
export function validateDefinition(raw: JsonObject, kind: DefinitionKind): readonly ValidationIssue[] {
  const parsed = (kind === 'template' ? Template : ServerDefinition).safeParse(raw)
  if (parsed.success) return problemsOfDefinition(parsed.data).map(fromRefusal)
  const paths = new Map(parsed.error.issues.map(({ path }) => [path.join('.'), path as Path]))
  return [...paths].map(([name, path]) => ({
    type: 'schema',
    section: getSection(path),
    path: name,
    isBlocking: true,
  }))
}

function fromRefusal(refusal: Refusal): ValidationIssue {
  const { field = '', reason } = refusal.metadata
  const keys = String(field).split('.')
  const section = getSection(keys)
  const common = { section, isBlocking: true }
  if (field === readyPatternPath || field === 'prompts')
    return { ...common, type: 'pattern', path: field, reason: String(reason) }
  if (section === 'variables' && keys.at(-1) === 'pattern')
    return { ...common, type: 'pattern', path: String(field), reason: String(reason) }
  const isInStep = Object.hasOwn(stepPaths, section) && section !== 'run'
  const path = isInStep ? `${section}/${keys.slice(-2).join('.')}` : String(field)
  return { ...common, type: 'refusal', path, refusal }
}

/** Whether the form has a field for the issue; otherwise it can only be fixed in the JSON. */
export function hasField({ path, type }: ValidationIssue): boolean {
  return (
    type === 'refusal' ||
    ['type', 'display', 'prompts', readyPatternPath].includes(path) ||
    /^(install|uninstall|run\.pre|run\.post)\.\d+\.type$/.test(path)
  )
}

/** Whether the issue also exists in the JSON; the others are about rows that the JSON leaves out. */
export function isShownInJson({ type }: ValidationIssue): boolean {
  return type === 'schema' || type === 'pattern' || type === 'refusal'
}

function validateVariables({ variables }: DefinitionDraft): ValidationIssue[] {
  const nameIssues = validateNames(variables)
  return variables.flatMap((row): ValidationIssue[] => {
    const name = nameIssues.get(row.id)
    const value = validateValue(row)
    const common = { section: 'variables', type: 'variable', name: row.name } as const
    return [
      ...(name ? [{ ...common, path: `variables/${row.id}/name`, reason: name, isBlocking: true }] : []),
      ...(value ? [{ ...common, path: `variables/${row.id}/value`, reason: value, isBlocking: false }] : []),
    ]
  })
}

function validateStepLists(raw: JsonObject): ValidationIssue[] {
  return Object.entries(stepPaths).flatMap(([section, path]) => {
    const steps = getSteps(raw, path)
    return [...validateSteps(steps)].flatMap(([key, reason]): ValidationIssue[] => {
      const [index = '0', field = ''] = key.split('.')
      const step = steps[Number(index)]
      // Blank steps are removed when the definition is saved.
      if (!step || isBlank(step)) return []
      const issue: ValidationIssue = {
        type: 'step',
        section: section as keyof typeof stepPaths,
        path: `${section}/${key}`,
        reason,
        number: Number(index) + 1,
        field,
        isBlocking: false,
      }
      return [issue]
    })
  })
}

function validateEnvVars({ environmentVars }: DefinitionDraft): ValidationIssue[] {
  const names = environmentVars.map(({ name }) => name)
  return environmentVars.flatMap(({ id, name }, index): ValidationIssue[] => {
    const isInvalid = name !== '' && (names.indexOf(name) !== index || !isSafeKey(name) || /[\s=]/.test(name))
    return isInvalid ? [{ type: 'name', section: 'env', path: `env/${id}`, name, isBlocking: true }] : []
  })
}

function validateContainers(raw: JsonObject, kind: DefinitionKind): ValidationIssue[] {
  const own = getEnvironment(raw)
  const environments = kind === 'template' ? getEnvironments(raw) : own ? [own] : []
  return environments.flatMap((environment, index) => {
    if (canonicalType(environment) !== 'docker') return []
    const fields = [...validateDockerForm(toDockerForm(environment)).keys()]
    return fields.map(
      (field): ValidationIssue => ({
        type: 'container',
        section: 'environments',
        path: `environments/${index}/${field}`,
        isBlocking: false,
      }),
    )
  })
}

/** The heading of a section; a server has one environment. */
export function sectionName(t: TFunction, section: SectionId, kind: DefinitionKind): string {
  return section === 'environments' && kind === 'server' ? t('common.Environment') : t(`definition.Section_${section}`)
}

/** The message of an issue at its field. */
export function issueMessage(t: TFunction, issue: ValidationIssue): string {
  switch (issue.type) {
    case 'variable':
      if (issue.reason === 'value') return t('definition.InvalidDefault')
      return t(issue.reason === 'duplicate' ? 'definition.DuplicateName' : 'errors.ErrVariableName')
    case 'step': {
      const field = stepFieldName(t, issue.field)
      return t(issue.reason === 'missing' ? 'errors.ErrFieldRequired' : 'errors.ErrFieldInvalid', { field })
    }
    case 'name':
      return t('definition.EnvironmentNameRule')
    case 'container':
      return t('definition.InvalidContainer')
    case 'pattern':
      return t('common.InvalidPattern', { reason: issue.reason })
    case 'refusal':
      return errorMessage(t, issue.refusal)
    case 'schema':
      if (issue.path === 'type') return t('errors.ErrFieldRequired', { field: t('common.Type') })
      return t('errors.ErrFieldInvalid', { field: issue.path })
  }
}

interface Field {
  /** Its path in the definition. */
  readonly path: string
  readonly label: string
  readonly value: string
}

/** The message of the issue of a field, which it names by its label; undefined without an issue. */
export function getFieldIssueMessage(
  t: TFunction,
  issues: readonly ValidationIssue[],
  { path, label, value }: Field,
): string | undefined {
  const issue = issues.find((one) => one.path === path)
  if (issue?.type !== 'refusal') return issue && issueMessage(t, issue)
  const { reason } = issue.refusal.metadata
  if (typeof reason === 'string') return t('common.InvalidPattern', { reason })
  return t(value === '' ? 'errors.ErrFieldRequired' : 'errors.ErrFieldInvalid', { field: label })
}

/** The message of an issue in a list of all issues: with its section and item. */
export function issueSummary(t: TFunction, issue: ValidationIssue, kind: DefinitionKind): string {
  const section = sectionName(t, issue.section, kind)
  const message = issueMessage(t, issue)
  const name = getItemName(t, issue)
  return name === undefined
    ? t('definition.IssueInSection', { section, message })
    : t('definition.IssueOfItem', { section, name, message })
}

function getItemName(t: TFunction, issue: ValidationIssue): string | undefined {
  if (issue.type === 'variable' || issue.type === 'name') return issue.name
  const step = issue.type === 'step' ? issue.number : issue.type === 'refusal' ? issue.refusal.metadata.step : undefined
  return step === undefined ? undefined : t('definition.StepNumber', { number: step })
}
