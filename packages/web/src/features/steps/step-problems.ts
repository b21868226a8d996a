import type { Step } from '@innkeeper/contract/operations'
import type { Text } from '../../i18n/text.tsx'
import { problemsOfSteps } from './step-rules.ts'

/** What stands against steps in words, by path, as a `StepList` takes it. */
export function stepProblemTexts(text: Text, steps: readonly Step[]): ReadonlyMap<string, string> {
  const texts = [...problemsOfSteps(steps)].map(([path, problem]): [string, string] => {
    const name = path.slice(path.indexOf('.') + 1)
    const field = name === 'type' ? text('steps.Type') : text(`steps.Field_${name}`)
    return [path, text(problem === 'missing' ? 'errors.ErrFieldRequired' : 'errors.ErrFieldInvalid', { field })]
  })
  return new Map(texts)
}
