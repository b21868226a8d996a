import { isStepType, type Step } from '@innkeeper/contract/definitions/operations'
import { findText, type TFunction } from '../../i18n/i18n.tsx'
import { validateSteps } from './step-rules.ts'

/** The error messages of steps by path (`2.files`), as `StepList` takes them. */
export function getStepErrors(t: TFunction, steps: readonly Step[]): ReadonlyMap<string, string> {
  const messages = [...validateSteps(steps)].map(([path, error]): [string, string] => {
    const name = path.slice(path.indexOf('.') + 1)
    const field = stepFieldName(t, name)
    return [path, t(error === 'missing' ? 'errors.ErrFieldRequired' : 'errors.ErrFieldInvalid', { field })]
  })
  return new Map(messages)
}

/** The label of a field of the form, or of `type`. */
export function stepFieldName(t: TFunction, field: string): string {
  return field === 'type' ? t('common.Type') : (findText(t, `steps.Field_${field}`) ?? field)
}

/** The name of a step's type; an unknown type is shown as it is. */
export function stepTypeName(t: TFunction, step: Step | undefined): string {
  if (!step) return ''
  return isStepType(step.type) ? t(`steps.Type_${step.type}`) : step.type
}
