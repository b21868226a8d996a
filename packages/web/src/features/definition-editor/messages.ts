import type { TFunction } from '../../i18n/i18n.tsx'
import { errorMessage } from '../../ui/text/error-message.ts'
import { stepFieldName } from '../steps/step-messages.ts'
import type { SectionId } from './draft.ts'
import type { DefinitionKind, ValidationIssue } from './validation.ts'

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
