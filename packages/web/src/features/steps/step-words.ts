import { isStepType, type Step } from '@innkeeper/contract/operations'
import type { TFunction } from '../../i18n/i18n.tsx'
import { problemsOfSteps } from './step-rules.ts'

/** What stands against steps in words, by path, as a `StepList` takes it. */
export function stepProblemTexts(t: TFunction, steps: readonly Step[]): ReadonlyMap<string, string> {
  const texts = [...problemsOfSteps(steps)].map(([path, problem]): [string, string] => {
    const name = path.slice(path.indexOf('.') + 1)
    const field = name === 'type' ? t('steps.Type') : t(`steps.Field_${name}`)
    return [path, t(problem === 'missing' ? 'errors.ErrFieldRequired' : 'errors.ErrFieldInvalid', { field })]
  })
  return new Map(texts)
}

/** The type of a step in the words of the form; a type that we do not know is called by its id. */
export function typeName(t: TFunction, step: Step | undefined): string {
  if (!step) return ''
  return isStepType(step.type) ? t(`steps.Type_${step.type}`) : step.type
}
