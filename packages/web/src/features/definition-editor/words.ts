import type { TFunction } from '../../i18n/i18n.tsx'
import { errorMessage } from '../../ui/error-message.ts'
import type { SectionId } from './draft.ts'
import type { Kind, Problem } from './problems.ts'

/** What a part of the editor is called; a server has one environment. */
export function sectionName(t: TFunction, section: SectionId, kind: Kind): string {
  return section === 'environments' && kind === 'server'
    ? t('definition.Environment')
    : t(`definition.Section_${section}`)
}

/** What stands against a field, as it says so at the field itself. */
export function problemText(t: TFunction, problem: Problem): string {
  switch (problem.is) {
    case 'variable':
      if (problem.why === 'value') return t('definition.WrongValue')
      return t(problem.why === 'duplicate' ? 'definition.DuplicateName' : 'definition.VariableNameRule')
    case 'step': {
      const field = problem.field === 'type' ? t('steps.Type') : t(`steps.Field_${problem.field}`)
      return t(problem.why === 'missing' ? 'errors.ErrFieldRequired' : 'errors.ErrFieldInvalid', { field })
    }
    case 'name':
      return t('definition.EnvironmentNameRule')
    case 'docker':
      return t('definition.WrongContainer')
    case 'pattern':
      return t('definition.WrongPattern', { reason: problem.why })
    case 'refusal':
      return errorMessage(t, problem.refusal)
    case 'schema':
      if (problem.at === 'type') return t('errors.ErrFieldRequired', { field: t('definition.Type') })
      return t('errors.ErrFieldInvalid', { field: problem.at })
  }
}

/** The same in a list of everything that is wrong: with the place. */
export function problemLine(t: TFunction, problem: Problem, kind: Kind): string {
  const section = sectionName(t, problem.section, kind)
  const said = problemText(t, problem)
  if (problem.is === 'variable') return t('definition.ProblemOf', { section, name: problem.name, said })
  const step =
    problem.is === 'step' ? problem.number : problem.is === 'refusal' ? problem.refusal.metadata.step : undefined
  if (step !== undefined)
    return t('definition.ProblemOf', { section, name: t('definition.StepNumber', { number: step }), said })
  if (problem.is === 'name') return t('definition.ProblemOf', { section, name: problem.name, said })
  return t('definition.ProblemIn', { section, said })
}
