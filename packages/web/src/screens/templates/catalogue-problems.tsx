import type { CatalogueProblem, CatalogueWarning } from '@innkeeper/contract/catalogue'
import { isRefusalCode, Refusal } from '@innkeeper/contract/refusals'
import { Button } from '@mantine/core'
import { type Text, useText } from '../../i18n/text.tsx'
import { Notice } from '../../ui/notice.tsx'
import { messageOf } from '../../ui/refusal.tsx'
import classes from './import.module.css'

interface CatalogueProblemsProps {
  readonly problems: readonly CatalogueProblem[]
  readonly again: () => void
}

/** What cannot be imported, by name and reason. */
export function CatalogueProblems({ problems, again }: CatalogueProblemsProps) {
  const text = useText()
  if (problems.length === 0) return null
  const isIndexGone = problems.some(({ code }) => code === 'ErrIndexUnavailable')
  return (
    <Notice
      kind="warning"
      action={
        isIndexGone && (
          <Button size="xs" variant="default" onClick={again}>
            {text('common.TryAgain')}
          </Button>
        )
      }
    >
      <details open={problems.length <= 3}>
        <summary>{text('templates.Problems', { count: problems.length })}</summary>
        <ul className={classes.notes}>
          {problems.map((problem, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: two may have one name and one reason
            <li key={at}>{text('templates.Problem', { name: problem.name, reason: reasonOf(text, problem) })}</li>
          ))}
        </ul>
      </details>
    </Notice>
  )
}

/** What keeps a template from running as it is written, one line each. */
export function Warnings({ warnings }: { readonly warnings: readonly CatalogueWarning[] | readonly Refusal[] }) {
  const text = useText()
  const lines = warnings.map((one) => {
    const reason = one instanceof Refusal ? messageOf(text, one) : reasonOf(text, one)
    const field = String(one.metadata.field ?? '')
    return reason.includes(field) ? reason : text('templates.Problem', { name: field, reason })
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
function reasonOf(text: Text, { code, metadata, reason }: CatalogueWarning): string {
  return isRefusalCode(code) ? messageOf(text, new Refusal(code, metadata)) : reason
}
