import type { RequestOf } from '@innkeeper/contract/api/endpoint'
import {
  type Environment,
  findEnvironmentType,
  getEnvironments,
  type Template,
} from '@innkeeper/contract/definitions/definition'
import { validationError } from '@innkeeper/contract/definitions/validate'
import { validateVariable } from '@innkeeper/contract/definitions/validate-variable'
import { getText, type Variable, type VariableValue } from '@innkeeper/contract/definitions/variables'
import { Refusal, type RefusalCode } from '@innkeeper/contract/errors/refusals'
import type { createServer } from '@innkeeper/contract/servers/new-server'
import type { RecognizedServer } from '@innkeeper/contract/servers/recognized-server'
import { ServerName } from '@innkeeper/contract/text/names'
import { z } from 'zod/mini'
import {
  applyDockerForm,
  type DockerForm,
  toDockerForm,
  validateDockerForm,
} from '../../ui/server-forms/docker-form.ts'
import { applyLimitsForm, type LimitsForm, noLimits, toLimitsForm } from '../../ui/server-forms/limits-form.ts'

export const steps = ['template', 'target', 'settings', 'review'] as const
export type Step = (typeof steps)[number]

/** The state of the wizard. */
export interface ServerDraft {
  readonly template?: string
  readonly node?: number
  /** The type of the selected environment. */
  readonly environment?: string
  readonly name: string
  /** Values of variables that differ from the template's. */
  readonly values: Readonly<Record<string, VariableValue>>
  /** The container, once an administrator has changed it. */
  readonly docker?: DockerForm
  /** The free port that was filled in, and the node that it belongs to. */
  readonly suggested?: {
    readonly node: number
    readonly address: string
    readonly port: number
    /** Further ports that were filled in, by variable. */
    readonly others?: Readonly<Record<string, number>>
  }
  /** The limits, once an administrator has changed them. */
  readonly limits?: LimitsForm
  /** Usernames of the users of the server, other than its creator. */
  readonly users: readonly string[]
  /** Whether the server is not installed and started as soon as it exists. */
  readonly staysOffline?: boolean
  /** The folder or archive of an existing server, which is uploaded. */
  readonly existing?: { readonly name: string; readonly recognized: RecognizedServer }
}

/** Changes the draft. */
export type EditDraft = (update: (draft: ServerDraft) => ServerDraft) => void

/** Props of a step after the template was selected. */
export interface StepProps {
  readonly draft: ServerDraft
  readonly template: Template
  readonly edit: EditDraft
}

const NameSchema = z.object({ name: ServerName })

export const emptyDraft: ServerDraft = { name: '', values: {}, users: [] }

/** Selects a template. What depends on the previous one is reset; node and name stay. */
export function selectTemplate(draft: ServerDraft, template: string): ServerDraft {
  if (draft.template === template) return draft
  const { environment: _, docker: __, limits: ___, suggested: ____, existing: _____, ...rest } = draft
  return { ...rest, template, values: {} }
}

/** Sets the existing server; it belongs to the selected template. */
export function selectExisting({ existing: _, ...draft }: ServerDraft, existing: ServerDraft['existing']): ServerDraft {
  return existing ? { ...draft, existing } : draft
}

/** The selected environment with the options that the template sets. */
export function getEnvironment(draft: ServerDraft, template: Template): Environment | undefined {
  return getEnvironments(template).find(({ type }) => type === draft.environment)
}

/** The container settings; `undefined` unless a Docker environment is selected. */
export function getDockerForm(draft: ServerDraft, template: Template): DockerForm | undefined {
  const environment = getEnvironment(draft, template)
  if (!environment || findEnvironmentType(environment) !== 'docker') return undefined
  return draft.docker ?? toDockerForm(environment)
}

export function getLimitsForm(draft: ServerDraft, template: Template): LimitsForm {
  const environment = getEnvironment(draft, template)
  return draft.limits ?? (environment ? toLimitsForm(environment) : noLimits)
}

// `join`, because checks/texts takes template literals with a dot for keys of texts.

/** The name of a field of the container form in errors of the API. */
export const dockerField = (part: string): string => ['environment', part].join('.')

/** The name of a variable's field in errors of the API. */
export const variableField = (variable: string): string => ['data', variable].join('.')

/** A variable that the user can set. */
export interface EditableVariable {
  readonly name: string
  readonly variable: Variable
}

/** The variables that the user can set, required ones first. Administrators also set the internal ones. */
export function getEditableVariables(template: Template, isAdmin = false): readonly EditableVariable[] {
  const fields = Object.entries(template.data).map(([name, variable]) => ({ name, variable }))
  return sortRequiredFirst(fields.filter(({ variable }) => isAdmin || variable.internal !== true))
}

export function sortRequiredFirst(fields: readonly EditableVariable[]): readonly EditableVariable[] {
  return [
    ...fields.filter(({ variable }) => variable.required === true),
    ...fields.filter(({ variable }) => variable.required !== true),
  ]
}

/** The current values of all variables as text, for the conditions of groups. */
export function getTextValues(draft: ServerDraft, template: Template): ReadonlyMap<string, string> {
  const variables = Object.entries(template.data)
  return new Map(variables.map(([name, variable]) => [name, getText(getValue(draft, name, variable))]))
}

/** The current value of a variable: the user's, or else the template's. */
export function getValue(draft: ServerDraft, name: string, variable: Variable): VariableValue | undefined {
  return Object.hasOwn(draft.values, name) ? draft.values[name] : variable.value
}

/** Validates name, container and the given variables: those of hidden groups are not. Returns errors by field. */
export function validateDraft(
  draft: ServerDraft,
  template: Template,
  variables: readonly EditableVariable[] = getEditableVariables(template),
): ReadonlyMap<string, Refusal> {
  const errors = new Map<string, Refusal>()
  const parsedName = NameSchema.safeParse({ name: draft.name.trim() })
  if (!parsedName.success) errors.set('name', validationError(parsedName.error))
  for (const { name, variable } of variables) {
    // A step of the template may set it.
    if (variable.internal && !Object.hasOwn(draft.values, name)) continue
    const error = validateVariable(name, variable, getValue(draft, name, variable), variable.display || name)
    if (error) errors.set(variableField(name), error)
  }
  if (draft.docker && getDockerForm(draft, template)) {
    for (const [part, code] of validateDockerForm(draft.docker))
      errors.set(dockerField(part), new Refusal(code, { field: part }))
  }
  return errors
}

/** The first step that is not complete; the last one when all are. */
export function firstIncompleteStep(
  draft: ServerDraft,
  template: Template | undefined,
  variables?: readonly EditableVariable[],
): Step {
  if (draft.template === undefined) return 'template'
  if (draft.node === undefined || draft.environment === undefined) return 'target'
  if (template === undefined) return 'review'
  return validateDraft(draft, template, variables).size > 0 ? 'settings' : 'review'
}

/** The input of the request. The readme stays in the template. */
export function toCreateServerInput(
  draft: ServerDraft,
  template: Template,
  self: string | undefined,
): RequestOf<typeof createServer> {
  const { readme: _, ...definition } = template
  const data = Object.fromEntries(
    Object.entries(template.data).map(([name, variable]) => {
      const value = getValue(draft, name, variable)
      return [name, value === undefined ? variable : { ...variable, value }]
    }),
  )
  let environment = getEnvironment(draft, template)
  const docker = draft.docker && getDockerForm(draft, template)
  if (environment && docker) environment = applyDockerForm(environment, docker)
  if (environment && draft.limits) environment = applyLimitsForm(environment, draft.limits)
  const users = [...new Set([...(self === undefined ? [] : [self]), ...draft.users])]
  return {
    body: {
      ...definition,
      data,
      ...(environment ? { environment } : {}),
      name: draft.name.trim(),
      node: draft.node,
      template: draft.template,
      // What is uploaded comes after the creation.
      ...(draft.staysOffline || draft.existing ? {} : { installAndStart: true }),
      users,
    },
  } as RequestOf<typeof createServer>
}

const targetErrors: readonly RefusalCode[] = [
  'ErrNodeInvalid',
  'ErrNoNodes',
  'ErrServiceNotAvailable',
  'ErrDockerNotSupported',
  'ErrMissingBinary',
  'ErrUnsupportedOS',
  'ErrUnsupportedArch',
  'ErrUnknownEnvironment',
]

/** The step where an error of the API is shown, and its field if it belongs to one. */
export function getErrorLocation(error: Refusal, template: Template): { readonly step: Step; readonly field?: string } {
  const field = typeof error.metadata.field === 'string' ? error.metadata.field : ''
  if (error.code === 'ErrDuplicateServerName' || field === 'name') return { step: 'settings', field: 'name' }
  if (error.code === 'ErrUserNotFound' || field === 'users') return { step: 'review', field: 'users' }
  if (error.code === 'ErrNoTemplate') return { step: 'template' }
  if (/^environment\.(image|networkName)$/.test(field)) return { step: 'settings', field }
  if (targetErrors.includes(error.code) || field === 'node' || field.startsWith('environment'))
    return { step: 'target' }
  const variable = Object.keys(template.data).find((name) => field === name || field.split('.')[1] === name)
  return variable === undefined ? { step: 'review' } : { step: 'settings', field: variableField(variable) }
}
