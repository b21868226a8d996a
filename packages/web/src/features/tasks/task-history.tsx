import { limits } from '@innkeeper/contract/limits'
import { listTaskRuns, type TaskRun } from '@innkeeper/contract/tasks'
import { Drawer, Skeleton } from '@mantine/core'
import { useApiQuery } from '../../api/use-api-query.ts'
import { useFormatters, useT } from '../../i18n/i18n.tsx'
import { useSession } from '../../session/session.tsx'
import { QueryError } from '../../ui/empty-state.tsx'
import { useIsPhone } from '../../ui/page.tsx'
import { useDelayed } from '../../ui/use-delayed.ts'
import { useReturnFocus } from '../../ui/use-return-focus.ts'
import { Result } from './result.tsx'
import classes from './tasks.module.css'
import type { ListedTask } from './use-tasks.ts'
import { causeText, reasonText, resultOf } from './words.ts'

interface TaskHistoryProps {
  readonly server: string
  readonly task: ListedTask
  readonly onClose: () => void
}

/** The last runs of a task, the newest first. */
export function TaskHistory({ server, task, onClose }: TaskHistoryProps) {
  useReturnFocus()
  const t = useT()
  const isPhone = useIsPhone()
  const runs = useApiQuery(
    listTaskRuns,
    { params: { id: server, task: task.id } },
    {
      staleTime: 0,
      refetchInterval: ({ state }) =>
        state.data?.some((run) => resultOf(run) === 'running') ? limits.tasksEveryMs : limits.tasksIdleMs,
    },
  )
  const isLate = useDelayed(runs.isPending)

  return (
    <Drawer
      opened
      onClose={onClose}
      position="right"
      size={isPhone ? '100%' : '34rem'}
      title={t('tasks.HistoryTitle', { name: task.view.name })}
    >
      {runs.isError && !runs.data ? (
        <QueryError title={t('tasks.HistoryNotLoaded')} error={runs.error} retry={() => void runs.refetch()} />
      ) : !runs.data ? (
        isLate && <Skeleton h={96} aria-label={t('common.Loading')} />
      ) : runs.data.length === 0 ? (
        <p className={classes.quiet}>{t('tasks.HistoryEmpty')}</p>
      ) : (
        <>
          <p className={classes.historyAbout}>{t('tasks.HistoryAbout', { runs: limits.taskRunsKept })}</p>
          <ol className={classes.history} aria-label={t('tasks.HistoryTitle', { name: task.view.name })}>
            {runs.data.map((run) => (
              <Run key={run.id} run={run} />
            ))}
          </ol>
        </>
      )}
    </Drawer>
  )
}

function Run({ run }: { run: TaskRun & { readonly lines: readonly string[] } }) {
  const t = useT()
  const { dateTime } = useFormatters()
  const { self } = useSession()
  const result = resultOf(run)
  const reason = run.reason === undefined ? undefined : reasonText(t, run.reason, run.refusal)
  const write = (at: string) => dateTime(Date.parse(at))
  return (
    <li>
      <div className={classes.runHead}>
        <Result result={result} />
        <span>{causeText(t, run, self?.id)}</span>
      </div>
      <p className={classes.runTimes}>
        <time dateTime={run.startedAt}>
          {run.endedAt === undefined
            ? t('tasks.RanFrom', { start: write(run.startedAt) })
            : t('tasks.RanFromTo', { start: write(run.startedAt), end: write(run.endedAt) })}
        </time>
      </p>
      {reason !== undefined && (
        <p dir="auto" className={classes.reason}>
          {run.step === undefined ? reason : t('tasks.AtStep', { step: run.step, reason })}
        </p>
      )}
      {run.lines.length > 0 && (
        <details>
          <summary>{t('tasks.Lines', { count: run.lines.length })}</summary>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard */}
          <pre dir="ltr" tabIndex={0}>
            {run.lines.join('\n')}
          </pre>
        </details>
      )}
    </li>
  )
}
