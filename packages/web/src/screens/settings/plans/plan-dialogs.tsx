import type { Template } from '@innkeeper/contract/definitions/definition'
import { getPlan, listPlans, type Plan, putPlan } from '@innkeeper/contract/orders/plans'
import { getTemplate } from '@innkeeper/contract/templates/templates'
import { useQueryClient } from '@tanstack/react-query'
import { useApiMutation } from '../../../api/use-action.ts'
import { getQueryKey, useVersionedApiQuery } from '../../../api/use-api.ts'
import { SaveDialog, SubmitDialog, useDialogForm } from '../../../forms/form-dialogs.tsx'
import type { FieldName } from '../../../forms/merge.ts'
import { useSubmitForm } from '../../../forms/use-submit-form.ts'
import { useT } from '../../../i18n/i18n.tsx'
import { useFormatters } from '../../../i18n/use-formatters.ts'
import { useReturnFocus } from '../../../ui/overlays/use-return-focus.ts'
import { toast } from '../../../ui/toasts/toast.tsx'
import { PlanFields } from './plan-fields.tsx'
import { newPlan, type PlanForm, planLabels, toField, toForm, toPlan, validatePlan } from './plan-form.ts'

interface AddPlanDialogProps {
  /** IDs that a new plan cannot have. */
  readonly taken: readonly string[]
  readonly onClose: () => void
}

export function AddPlanDialog({ taken, onClose }: AddPlanDialogProps) {
  useReturnFocus()
  const t = useT()
  const { save, options } = usePlanForm(taken)
  const form = useSubmitForm<PlanForm>({
    ...options,
    id: 'new-plan',
    initialValues: newPlan,
    send: (values) => save(values),
    onSaved: () => {
      toast.success(t('common.Saved'))
      onClose()
    },
  })
  return (
    <SubmitDialog form={form} size="lg" title={t('plans.Add')} action={t('common.Save')} onClose={onClose}>
      <PlanFields isNew form={form} />
    </SubmitDialog>
  )
}

interface EditPlanDialogProps {
  readonly name: string
  readonly onClose: () => void
}

export function EditPlanDialog({ name, onClose }: EditPlanDialogProps) {
  useReturnFocus()
  const t = useT()
  const formatValue = useFormatField()
  const { save, options } = usePlanForm([])
  const query = useVersionedApiQuery(getPlan, { params: { name } }, { staleTime: 0 })
  const state = useDialogForm<PlanForm, Plan>({
    ...options,
    id: `plan-${name}`,
    query,
    toValues: (plan) => toForm(name, plan),
    initialValues: newPlan,
    formatValue,
    send: ({ values, version }) => save(values, version),
    onSaved: () => toast.success(t('common.Saved')),
    onClose,
  })
  return (
    <SaveDialog
      state={state}
      size="lg"
      title={t('common.EditNamed', { name })}
      errorTitle={t('plans.LoadFailed')}
      skeletonHeight="24rem"
    >
      {() => <PlanFields form={state.form} />}
    </SaveDialog>
  )
}

/** What both dialogs have in common. */
function usePlanForm(taken: readonly string[]) {
  const t = useT()
  const queries = useQueryClient()
  const { mutateAsync } = useApiMutation(putPlan, { invalidates: [listPlans, getPlan] })
  // The fields have loaded it.
  const findTemplate = (name: string) => queries.getQueryData<Template>(getQueryKey(getTemplate, { params: { name } }))
  return {
    save: (values: PlanForm, version?: string) =>
      mutateAsync({ params: { name: values.name }, body: toPlan(values, findTemplate(values.template)) }, { version }),
    options: {
      validate: (values: PlanForm) => validatePlan(values, { t, template: findTemplate(values.template), taken }),
      getLabel: (field: FieldName<PlanForm>) => t(planLabels[field]),
      toField,
    },
  }
}

/** Formats a field where both versions of a conflict are compared. */
function useFormatField() {
  const t = useT()
  const { list, fileSize } = useFormatters()
  return (field: FieldName<PlanForm>, value: unknown): string => {
    if (Array.isArray(value)) return list(value)
    if (typeof value === 'boolean') return t(value ? 'common.On' : 'common.Off')
    if (field === 'maxBytes') return fileSize(Number(value))
    if (field === 'variables')
      return list(Object.entries(value as PlanForm['variables']).map((pair) => pair.join(': ')))
    return String(value)
  }
}
