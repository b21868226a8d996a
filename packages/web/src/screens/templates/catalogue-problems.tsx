import type { CatalogueProblem, CatalogueWarning } from '@innkeeper/contract/catalogue'
import { isRefusalCode, Refusal } from '@innkeeper/contract/refusals'
import { Button } from '@mantine/core'
import { type TFunction, useT } from '../../i18n/i18n.tsx'
import { Alert } from '../../ui/alert.tsx'
import { errorMessage } from '../../ui/error-message.ts'
import classes from './import.module.css'

interface CatalogueProblemsProps {
  readonly problems: readonly CatalogueProblem[]
  readonly retry: () => void
}

/** What cannot be imported, by name and reason. */
export function CatalogueProblems({ problems, retry: again }: CatalogueProblemsProps) {
  const t = useT()
  if (problems.length === 0) return null
  const isIndexGone = problems.some(({ code }) => code === 'ErrIndexUnavailable')
  return (
    <Alert
      type="warning"
      action={
        isIndexGone && (
          <Button size="xs" variant="default" onClick={again}>
            {t('common.TryAgain')}
          </Button>
        )
      }
    >
      <details open={problems.length <= 3}>
        <summary>{t('templates.Problems', { count: problems.length })}</summary>
        <ul className={classes.notes}>
          {problems.map((problem, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: two may have one name and one reason
            <li key={index}>{t('templates.Problem', { name: problem.name, reason: reasonOf(t, problem) })}</li>
          ))}
        </ul>
      </details>
    </Alert>
  )
}

/** What keeps a template from running as it is written, one line each. */
export function Warnings({ warnings }: { readonly warnings: readonly CatalogueWarning[] | readonly Refusal[] }) {
  const t = useT()
  const lines = warnings.map((one) => {
    const reason = one instanceof Refusal ? errorMessage(t, one) : reasonOf(t, one)
    const field = String(one.metadata.field ?? '')
    return reason.includes(field) ? reason : t('templates.Problem', { name: field, reason })
  })
  return (
    <ul className={classes.notes}>
      {[...new Set(lines)].map((line) => (
        <li key={line}>{line}</li>
      ))}
    </ul>
  )
}

/** In the person's language where we know the reason. */
function reasonOf(t: TFunction, { code, metadata, reason }: CatalogueWarning): string {
  return isRefusalCode(code) ? errorMessage(t, new Refusal(code, metadata)) : reason
}
