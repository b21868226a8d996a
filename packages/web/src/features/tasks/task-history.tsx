import { limits } from '@innkeeper/contract/limits'
import { listTaskRuns, type TaskRun } from '@innkeeper/contract/tasks'
import { Drawer, Skeleton } from '@mantine/core'
import { useCall } from '../../api/use-call.ts'
import { useFormats, useText } from '../../i18n/text.tsx'
import { useSession } from '../../session/session.tsx'
import { LoadFailure } from '../../ui/empty-state.tsx'
import { useIsPhone } from '../../ui/page.tsx'
import { useFocusReturned } from '../../ui/use-focus-returned.ts'
import { useIsLate } from '../../ui/use-late.ts'
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
  useFocusReturned()
  const text = useText()
  const isPhone = useIsPhone()
  const runs = useCall(
    listTaskRuns,
    { params: { id: server, task: task.id } },
    {
      staleTime: 0,
      refetchInterval: ({ state }) =>
        state.data?.some((run) => resultOf(run) === 'running') ? limits.tasksEveryMs : limits.tasksIdleMs,
    },
  )
  const isLate = useIsLate(runs.isPending)

  return (
    <Drawer
      opened
      onClose={onClose}
      position="right"
      size={isPhone ? '100%' : '34rem'}
      title={text('tasks.HistoryTitle', { name: task.view.name })}
      closeButtonProps={{ 'aria-label': text('common.Close') }}
    >
      {runs.isError && !runs.data ? (
        <LoadFailure title={text('tasks.HistoryNotLoaded')} error={runs.error} again={() => void runs.refetch()} />
      ) : !runs.data ? (
        isLate && <Skeleton h={96} aria-label={text('common.Loading')} />
      ) : runs.data.length === 0 ? (
        <p className={classes.quiet}>{text('tasks.HistoryEmpty')}</p>
      ) : (
        <>
          <p className={classes.historyAbout}>{text('tasks.HistoryAbout', { runs: limits.taskRunsKept })}</p>
          <ol className={classes.history} aria-label={text('tasks.HistoryTitle', { name: task.view.name })}>
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
  const text = useText()
  const { dateTime } = useFormats()
  const { self } = useSession()
  const result = resultOf(run)
  const reason = run.reason === undefined ? undefined : reasonText(text, run.reason, run.refusal)
  const write = (at: string) => dateTime(Date.parse(at))
  return (
    <li>
      <div className={classes.runHead}>
        <Result result={result} />
        <span>{causeText(text, run, self?.id)}</span>
      </div>
      <p className={classes.runTimes}>
        <time dateTime={run.startedAt}>
          {run.endedAt === undefined
            ? text('tasks.RanFrom', { start: write(run.startedAt) })
            : text('tasks.RanFromTo', { start: write(run.startedAt), end: write(run.endedAt) })}
        </time>
      </p>
      {reason !== undefined && (
        <p dir="auto" className={classes.reason}>
          {run.step === undefined ? reason : text('tasks.AtStep', { step: run.step, reason })}
        </p>
      )}
      {run.lines.length > 0 && (
        <details>
          <summary>{text('tasks.Lines', { count: run.lines.length })}</summary>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard */}
          <pre dir="ltr" tabIndex={0}>
            {run.lines.join('\n')}
          </pre>
        </details>
      )}
    </li>
  )
}
