import { refusalOfInput } from '@innkeeper/contract/accept'
import type { Given } from '@innkeeper/contract/call'
import { type Environment, environmentsOf, environmentTypeOf, type Template } from '@innkeeper/contract/definition'
import { ServerName } from '@innkeeper/contract/names'
import { Refusal, type RefusalCode } from '@innkeeper/contract/refusals'
import type { createServer } from '@innkeeper/contract/servers'
import { objectionTo, textOf, type Variable, type VariableValue } from '@innkeeper/contract/variables'
import { z } from 'zod'
import { applyDockerForm, type DockerForm, toDockerForm, validateDockerForm } from '../../ui/docker-form.ts'
import { applyLimitsForm, type LimitsForm, noLimits, toLimitsForm } from '../../ui/limits-form.ts'

export const steps = ['template', 'place', 'settings', 'review'] as const
export type Step = (typeof steps)[number]

/** What has been chosen so far. */
export interface Draft {
  readonly template?: string
  readonly node?: number
  /** The type of the chosen environment. */
  readonly environment?: string
  readonly name: string
  readonly values: Readonly<Record<string, VariableValue>>
  /** What an administrator made of the template's container. */
  readonly docker?: DockerForm
  /** The address that was proposed, and the node whose it is. */
  readonly proposed?: { readonly node: number; readonly address: string; readonly port: number }
  /** What an administrator limited. */
  readonly limits?: LimitsForm
  /** User names, as typed. */
  readonly users: string
}

const Named = z.object({ name: ServerName })

export const emptyDraft: Draft = { name: '', values: {}, users: '' }

/** Another template brings other variables and environments; place and name stay. */
export function withTemplate(draft: Draft, template: string): Draft {
  if (draft.template === template) return draft
  const { environment: _, docker: __, limits: ___, proposed: ____, ...kept } = draft
  return { ...kept, template, values: {} }
}

/** The environment that was chosen, as the template offers it. */
export function environmentIn(draft: Draft, template: Template): Environment | undefined {
  return environmentsOf(template).find(({ type }) => type === draft.environment)
}

/** What the form of a container shows; `undefined` when none was chosen. */
export function dockerIn(draft: Draft, template: Template): DockerForm | undefined {
  const environment = environmentIn(draft, template)
  if (!environment || environmentTypeOf(environment) !== 'docker') return undefined
  return draft.docker ?? toDockerForm(environment)
}

/** What the new server would be limited to. */
export function limitsIn(draft: Draft, template: Template): LimitsForm {
  const environment = environmentIn(draft, template)
  return draft.limits ?? (environment ? toLimitsForm(environment) : noLimits)
}

/** The field of a part of the container's form. */
export const dockerField = (part: string): string => ['environment', part].join('.')

/** A variable that a person fills in. */
export interface Field {
  readonly name: string
  readonly variable: Variable
}

/** The variables a person fills in, those without which nothing works first. */
export function variablesOf(template: Template): readonly Field[] {
  const fields = Object.entries(template.data).map(([name, variable]) => ({ name, variable }))
  return requiredFirst(fields.filter(({ variable }) => variable.internal !== true))
}

export function requiredFirst(fields: readonly Field[]): readonly Field[] {
  return [
    ...fields.filter(({ variable }) => variable.required === true),
    ...fields.filter(({ variable }) => variable.required !== true),
  ]
}

/** What conditions are judged by: the values as they would be saved now. */
export function valuesNow(draft: Draft, template: Template): ReadonlyMap<string, string> {
  const all = Object.entries(template.data)
  return new Map(all.map(([name, variable]) => [name, textOf(valueNow(draft, name, variable))]))
}

/** A variable's value as it would be saved now. */
export function valueNow(draft: Draft, name: string, variable: Variable): VariableValue | undefined {
  return Object.hasOwn(draft.values, name) ? draft.values[name] : variable.value
}

/** The field of a variable, as the panel names it too. */
export function fieldOf(variable: string): string {
  return ['data', variable].join('.')
}

/** What stands against name and variables, by field. Nobody is asked for a variable that is folded away. */
export function objectionsTo(
  draft: Draft,
  template: Template,
  asked: readonly Field[] = variablesOf(template),
): ReadonlyMap<string, Refusal> {
  const found = new Map<string, Refusal>()
  const named = Named.safeParse({ name: draft.name.trim() })
  if (!named.success) found.set('name', refusalOfInput(named.error))
  for (const { name, variable } of asked) {
    const objection = objectionTo(name, variable, valueNow(draft, name, variable), variable.display || name)
    if (objection) found.set(fieldOf(name), objection)
  }
  if (draft.docker && dockerIn(draft, template)) {
    for (const [part, code] of validateDockerForm(draft.docker))
      found.set(dockerField(part), new Refusal(code, { field: part }))
  }
  return found
}

/** The first step that still lacks something. */
export function firstOpen(draft: Draft, template: Template | undefined, asked?: readonly Field[]): Step {
  if (draft.template === undefined) return 'template'
  if (draft.node === undefined || draft.environment === undefined) return 'place'
  if (template === undefined) return 'review'
  return objectionsTo(draft, template, asked).size > 0 ? 'settings' : 'review'
}

/** User names in what was typed, separated by blanks or commas. */
export function usersIn(typed: string): readonly string[] {
  return [...new Set(typed.split(/[\s,;]+/).filter(Boolean))]
}

/** What the panel is asked to create. The readme stays with the template. */
export function serverFrom(draft: Draft, template: Template, self: string | undefined): Given<typeof createServer> {
  const { readme: _, ...definition } = template
  const data = Object.fromEntries(
    Object.entries(template.data).map(([name, variable]) => {
      const value = valueNow(draft, name, variable)
      return [name, value === undefined ? variable : { ...variable, value }]
    }),
  )
  const offered = environmentIn(draft, template)
  const docker = draft.docker && dockerIn(draft, template)
  const contained = offered && docker ? applyDockerForm(offered, docker) : offered
  const environment = contained && draft.limits ? applyLimitsForm(contained, draft.limits) : contained
  const users = [...new Set([...(self === undefined ? [] : [self]), ...usersIn(draft.users)])]
  return {
    body: {
      ...definition,
      data,
      ...(environment ? { environment } : {}),
      name: draft.name.trim(),
      node: draft.node,
      users,
    },
  } as Given<typeof createServer>
}

const ofPlace: readonly RefusalCode[] = [
  'ErrNodeInvalid',
  'ErrNoNodes',
  'ErrServiceNotAvailable',
  'ErrDockerNotSupported',
  'ErrMissingBinary',
  'ErrUnsupportedOS',
  'ErrUnsupportedArch',
  'ErrUnknownEnvironment',
]

/** Where a refusal of the panel belongs: the step, and the field on it when there is one. */
export function placeOf(refusal: Refusal, template: Template): { readonly step: Step; readonly field?: string } {
  const field = typeof refusal.metadata.field === 'string' ? refusal.metadata.field : ''
  if (refusal.code === 'ErrDuplicateServerName' || field === 'name') return { step: 'settings', field: 'name' }
  if (refusal.code === 'ErrUserNotFound' || field === 'users') return { step: 'review', field: 'users' }
  if (refusal.code === 'ErrNoTemplate') return { step: 'template' }
  if (/^environment\.(image|networkName)$/.test(field)) return { step: 'settings', field }
  if (ofPlace.includes(refusal.code) || field === 'node' || field.startsWith('environment')) return { step: 'place' }
  const variable = Object.keys(template.data).find((name) => field === name || field.split('.')[1] === name)
  return variable === undefined ? { step: 'review' } : { step: 'settings', field: fieldOf(variable) }
}
