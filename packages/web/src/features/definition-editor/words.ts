import type { Text } from '../../i18n/text.tsx'
import { messageOf } from '../../ui/refusal.tsx'
import type { SectionId } from './draft.ts'
import type { Kind, Problem } from './problems.ts'

/** What a part of the editor is called; a server has one environment. */
export function sectionName(text: Text, section: SectionId, kind: Kind): string {
  return section === 'environments' && kind === 'server'
    ? text('definition.Environment')
    : text(`definition.Section_${section}`)
}

/** What stands against a field, as it says so at the field itself. */
export function problemText(text: Text, problem: Problem): string {
  switch (problem.is) {
    case 'variable':
      if (problem.why === 'value') return text('definition.WrongValue')
      return text(problem.why === 'duplicate' ? 'definition.DuplicateName' : 'definition.VariableNameRule')
    case 'step': {
      const field = problem.field === 'type' ? text('steps.Type') : text(`steps.Field_${problem.field}`)
      return text(problem.why === 'missing' ? 'errors.ErrFieldRequired' : 'errors.ErrFieldInvalid', { field })
    }
    case 'name':
      return text('definition.EnvironmentNameRule')
    case 'docker':
      return text('definition.WrongContainer')
    case 'pattern':
      return text('definition.WrongPattern', { reason: problem.why })
    case 'refusal':
      return messageOf(text, problem.refusal)
    case 'schema':
      if (problem.at === 'type') return text('errors.ErrFieldRequired', { field: text('definition.Type') })
      return text('errors.ErrFieldInvalid', { field: problem.at })
  }
}

/** The same in a list of everything that is wrong: with the place. */
export function problemLine(text: Text, problem: Problem, kind: Kind): string {
  const section = sectionName(text, problem.section, kind)
  const said = problemText(text, problem)
  if (problem.is === 'variable') return text('definition.ProblemOf', { section, name: problem.name, said })
  const step =
    problem.is === 'step' ? problem.number : problem.is === 'refusal' ? problem.refusal.metadata.step : undefined
  if (step !== undefined)
    return text('definition.ProblemOf', { section, name: text('definition.StepNumber', { number: step }), said })
  if (problem.is === 'name') return text('definition.ProblemOf', { section, name: problem.name, said })
  return text('definition.ProblemIn', { section, said })
}
