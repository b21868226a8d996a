import { useT } from '../../i18n/i18n.tsx'
import { Alert } from '../../ui/alert.tsx'
import classes from './definition-editor.module.css'
import { partId } from './part.tsx'
import type { Kind, Problem } from './problems.ts'
import { problemLine } from './words.ts'

/** Everything that stands against the definition, each leading to its part. */
export function ProblemList({ problems, kind }: { problems: readonly Problem[]; kind: Kind }) {
  const t = useT()
  if (problems.length === 0) return null
  const isBlocked = problems.some(({ isBlocking }) => isBlocking)
  const go = ({ section }: Problem) => {
    const part = document.getElementById(partId(section))
    part?.scrollIntoView({ block: 'start' })
    part?.querySelector('h2')?.focus({ preventScroll: true })
  }
  return (
    <Alert type={isBlocked ? 'error' : 'warning'} urgent={false}>
      <p className={classes.problemsTitle}>
        {t(isBlocked ? 'definition.ProblemsBlocking' : 'definition.ProblemsTold')}
      </p>
      <ul className={classes.problems}>
        {problems.map((problem) => (
          <li key={`${problem.at} ${problem.is}`}>
            <button type="button" onClick={() => go(problem)}>
              {problemLine(t, problem, kind)}
            </button>
          </li>
        ))}
      </ul>
    </Alert>
  )
}
