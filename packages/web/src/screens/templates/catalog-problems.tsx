import { isRefusalCode, Refusal } from '@innkeeper/contract/errors/refusals'
import type { CatalogProblem, CatalogWarning } from '@innkeeper/contract/templates/catalog'
import { Button, List } from '@mantine/core'
import { type TFunction, useT } from '../../i18n/i18n.tsx'
import { Alert } from '../../ui/feedback/alert.tsx'
import { errorMessage } from '../../ui/text/error-message.ts'

/** Templates of the catalog that cannot be imported, with the reason for each. */
export function CatalogProblems({ problems, retry }: { problems: readonly CatalogProblem[]; retry: () => void }) {
  const t = useT()
  if (problems.length === 0) return null
  const isIndexUnavailable = problems.some(({ code }) => code === 'ErrIndexUnavailable')
  return (
    <Alert
      type="warning"
      action={
        isIndexUnavailable && (
          <Button size="xs" variant="default" onClick={retry}>
            {t('common.TryAgain')}
          </Button>
        )
      }
    >
      <details open={problems.length <= 3}>
        <summary>{t('templates.Problems', { count: problems.length })}</summary>
        <Notes
          items={problems.map((problem) =>
            t('templates.Problem', { name: problem.name, reason: getReason(t, problem) }),
          )}
        />
      </details>
    </Alert>
  )
}

/** Warns of what keeps a template from running as it is written. */
export function TemplateWarnings({ warnings }: { warnings: readonly CatalogWarning[] | readonly Refusal[] }) {
  const t = useT()
  const lines = warnings.map((warning) => {
    const reason = warning instanceof Refusal ? errorMessage(t, warning) : getReason(t, warning)
    const field = String(warning.metadata.field ?? '')
    return reason.includes(field) ? reason : t('templates.Problem', { name: field, reason })
  })
  if (lines.length === 0) return null
  return (
    <Alert type="warning">
      {t('templates.CannotRun')}
      <Notes items={lines} />
    </Alert>
  )
}

/** A bulleted list; repeated lines are shown once. */
export function Notes({ items }: { items: readonly string[] }) {
  return (
    <List mt="2xs" fz="inherit" withPadding>
      {[...new Set(items)].map((item) => (
        <List.Item key={item}>{item}</List.Item>
      ))}
    </List>
  )
}

/** The reason in the user's language, or as the server wrote it when its code is unknown. */
function getReason(t: TFunction, { code, metadata, reason }: CatalogWarning): string {
  return isRefusalCode(code) ? errorMessage(t, new Refusal(code, metadata)) : reason
}
