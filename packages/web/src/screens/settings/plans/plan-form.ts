import { type BackupRetention, keepEverything } from '@innkeeper/contract/backups/backup-retention'
import type { Template } from '@innkeeper/contract/definitions/definition'
import { validateVariable } from '@innkeeper/contract/definitions/validate-variable'
import { getText } from '@innkeeper/contract/definitions/variables'
import type { Refusal } from '@innkeeper/contract/errors/refusals'
import { Plan, PlanName } from '@innkeeper/contract/orders/plans'
import { parseValue } from '../../../features/variables/parse-value.ts'
import type { FieldName } from '../../../forms/merge.ts'
import { type FieldErrors, schemaErrors } from '../../../forms/validation.ts'
import type { TFunction, TranslationKey } from '../../../i18n/i18n.tsx'
import { variableLabel } from '../../../ui/names/variable-label.ts'
import { errorMessage } from '../../../ui/text/error-message.ts'

/** Empty for none. */
type OptionalNumber = number | ''

/** A plan as the dialog edits it. */
export interface PlanForm extends BackupRetention {
  /** The ID of the plan. */
  readonly name: string
  readonly template: string
  readonly memory: OptionalNumber
  readonly cpu: OptionalNumber
  readonly disk: OptionalNumber
  readonly ports: OptionalNumber
  readonly extraPorts: OptionalNumber
  readonly hasRetention: boolean
  readonly graceDays: number
  /** The ID of the node; empty when the panel chooses it. */
  readonly node: string
  readonly labels: readonly string[]
  /** The texts of the variables that the plan sets. */
  readonly variables: Readonly<Record<string, string>>
}

export const planLabels = {
  name: 'plans.Name',
  template: 'plans.Template',
  memory: 'server.LimitMemory',
  cpu: 'server.LimitCpu',
  disk: 'definition.LimitDisk',
  ports: 'plans.Ports',
  extraPorts: 'server.ExtraPorts',
  hasRetention: 'plans.HasRetention',
  last: 'backups.KeepNewest',
  daily: 'tasks.Mode_daily',
  weekly: 'tasks.Mode_weekly',
  monthly: 'tasks.Mode_monthly',
  yearly: 'backups.KeepYearly',
  maxBytes: 'backups.SizeLimit',
  graceDays: 'plans.GraceDays',
  node: 'common.Node',
  labels: 'plans.Labels',
  variables: 'plans.Variables',
} as const satisfies Record<keyof PlanForm, TranslationKey>

export const newPlan: PlanForm = { ...toForm('', Plan.parse({ template: 'new' })), template: '' }

export function toForm(name: string, plan: Plan): PlanForm {
  const { template, limits, ports = '', extraPorts = '', backups, graceDays, node, labels, variables } = plan
  return {
    name,
    template,
    memory: limits.memory ?? '',
    cpu: limits.cpu ?? '',
    disk: limits.disk ?? '',
    ports,
    extraPorts,
    hasRetention: backups !== undefined,
    ...(backups ?? keepEverything),
    graceDays,
    node: node === undefined ? '' : String(node),
    labels,
    variables: Object.fromEntries(Object.entries(variables).map(([key, value]) => [key, getText(value)])),
  }
}

/** The plan of the form. Without the template, values of variables are sent as text. */
export function toPlan(form: PlanForm, template: Template | undefined): Plan {
  const { ports, extraPorts, graceDays, node, hasRetention, labels } = form
  const { last, daily, weekly, monthly, yearly, maxBytes } = form
  const limits = Object.entries({ memory: form.memory, cpu: form.cpu, disk: form.disk })
  const variables = Object.entries(form.variables).map(([name, text]) => {
    const variable = template?.data[name]
    return [name, variable ? parseValue(variable, text) : text] as const
  })
  return {
    template: form.template,
    limits: Object.fromEntries(limits.filter(([, limit]) => limit !== '')),
    ...(ports !== '' && { ports }),
    ...(extraPorts !== '' && { extraPorts }),
    ...(hasRetention && { backups: { last, daily, weekly, monthly, yearly, maxBytes } }),
    graceDays,
    // The node of a plan counts, not its labels.
    ...(node === '' ? { labels: [...labels] } : { node: Number(node), labels: [] }),
    variables: Object.fromEntries(variables),
  }
}

/** The field of the form for one of the plan: `limits.memory`, `variables.motd`, `backups.last`. */
export function toField(name: string): string {
  const [first = '', second] = name.split('.')
  return second !== undefined && (first === 'limits' || first === 'backups') ? second : first
}

/** Validates a variable that the plan sets. Returns `undefined` when the template does not have it. */
export function validatePlanVariable(
  t: TFunction,
  template: Template | undefined,
  name: string,
  text: string,
): Refusal | undefined {
  const variable = template?.data[name]
  return variable && validateVariable(name, variable, parseValue(variable, text), variableLabel(t, name, variable))
}

interface ValidateOptions {
  readonly t: TFunction
  readonly template: Template | undefined
  /** IDs that a new plan cannot have. */
  readonly taken: readonly string[]
}

export function validatePlan(form: PlanForm, { t, template, taken }: ValidateOptions): FieldErrors<PlanForm> {
  const getLabel = (field: FieldName<PlanForm>) => t(planLabels[field])
  const errors: FieldErrors<PlanForm> = {}
  if (!PlanName.safeParse(form.name).success) errors.name = t('plans.NameRule')
  if (taken.includes(form.name)) errors.name = t('plans.NameTaken')
  if (form.template === '') errors.template = t('errors.ErrFieldRequired', { field: getLabel('template') })
  for (const [name, text] of Object.entries(form.variables)) {
    const problem = validatePlanVariable(t, template, name, text)
    if (problem) errors.variables ??= errorMessage(t, problem)
  }
  return { ...schemaErrors<PlanForm>(Plan, toPlan(form, template), { t, getLabel }), ...errors }
}
