import { tagOf } from '@innkeeper/contract/languages'
import type { TaskView } from '@innkeeper/contract/tasks'
import { ActionIcon, VisuallyHidden } from '@mantine/core'
import {
  IconAlertTriangle,
  IconHistory,
  IconPencil,
  IconPlayerPlay,
  IconPlayerStop,
  IconTrash,
  type TablerIcon,
} from '@tabler/icons-react'
import { useFormatters, useLocale, useT } from '../../i18n/i18n.tsx'
import { useIsPhone } from '../../ui/page.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import table from '../../ui/table.module.css'
import { useCronWords } from './cron-words.ts'
import { Result } from './result.tsx'
import classes from './tasks.module.css'
import { needSeconds, zonedTime } from './times.ts'
import type { ListedTask } from './use-tasks.ts'
import { causesOf, reasonText, resultOf } from './words.ts'

interface TaskListProps {
  readonly tasks: readonly ListedTask[]
  /** The node's own. */
  readonly timezone: string
  readonly onRun: (task: ListedTask) => void
  readonly onCancel: (task: ListedTask) => void
  readonly onHistory: (task: ListedTask) => void
  readonly onEdit: (task: ListedTask) => void
  readonly onRemove: (task: ListedTask) => void
}

/** Tasks with what sets them off, when that is next, and how they ended last. */
export function TaskList(props: TaskListProps) {
  const t = useT()
  const isPhone = useIsPhone()
  const { tasks, timezone } = props
  if (isPhone) {
    return (
      <ul className={`${table.rows} ${classes.phone}`} aria-label={t('tasks.Title')}>
        {tasks.map((task) => (
          <li key={task.id}>
            <Name task={task} onEdit={props.onEdit} />
            <Causes view={task.view} />
            <dl className={classes.phoneFacts}>
              <dt>{t('tasks.NextRun')}</dt>
              <dd>
                <NextRun view={task.view} timezone={timezone} />
              </dd>
              <dt>{t('tasks.LastResult')}</dt>
              <dd>
                <LastResult view={task.view} />
              </dd>
            </dl>
            <Actions task={task} {...props} />
          </li>
        ))}
      </ul>
    )
  }
  return (
    <table className={`${table.table} ${classes.table}`} aria-label={t('tasks.Title')}>
      <thead>
        <tr>
          <th scope="col">{t('tasks.Name')}</th>
          <th scope="col">{t('tasks.Schedule')}</th>
          <th scope="col">{t('tasks.NextRun')}</th>
          <th scope="col">{t('tasks.LastResult')}</th>
          <th scope="col">
            <VisuallyHidden>{t('tasks.Actions')}</VisuallyHidden>
          </th>
        </tr>
      </thead>
      <tbody>
        {tasks.map((task) => (
          <tr key={task.id}>
            <th scope="row">
              <Name task={task} onEdit={props.onEdit} />
            </th>
            <td className={classes.quiet}>
              <Causes view={task.view} />
            </td>
            <td className={classes.quiet}>
              <NextRun view={task.view} timezone={timezone} />
            </td>
            <td>
              <LastResult view={task.view} />
            </td>
            <td>
              <Actions task={task} {...props} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

function Name({ task, onEdit }: { task: ListedTask } & Pick<TaskListProps, 'onEdit'>) {
  const t = useT()
  const { name, problem, refusal } = task.view
  return (
    <div className={classes.name}>
      <button type="button" onClick={() => onEdit(task)}>
        <bdi>{name}</bdi>
      </button>
      {problem !== undefined && (
        <p className={classes.problem}>
          <IconAlertTriangle size={15} aria-hidden />
          {reasonText(t, problem, refusal)}
        </p>
      )}
    </div>
  )
}

function Causes({ view }: { view: TaskView }) {
  const t = useT()
  const words = useCronWords()
  return (
    <div className={classes.causes}>
      {causesOf(t, view, words).map((cause) => (
        <bdi key={cause}>{cause}</bdi>
      ))}
    </div>
  )
}

/** In the time of whoever looks, and in that of the node, or of the task's own zone. */
function NextRun({ view: { nextRun, timezone: own }, timezone: nodes }: { view: TaskView; timezone: string }) {
  const t = useT()
  const tag = tagOf(useLocale().locale)
  const { dateTime } = useFormatters()
  if (nextRun === undefined) return t('tasks.NoNextRun')
  const time = new Date(nextRun)
  const zone = own ?? nodes
  const hasSeconds = needSeconds([time])
  return (
    <div className={classes.next}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the tooltip must be reachable by keyboard */}
      <time dateTime={nextRun} data-tip={dateTime(time.getTime())} tabIndex={0}>
        {zonedTime(tag, undefined, hasSeconds)(time)}
      </time>
      <small>{t('tasks.InZone', { time: zonedTime(tag, zone, hasSeconds)(time), zone })}</small>
    </div>
  )
}

function LastResult({ view: { isRunning, lastRun, operations } }: { view: TaskView }) {
  const t = useT()
  if (!lastRun && !isRunning) return <span className={classes.quiet}>{t('tasks.NeverRan')}</span>
  return (
    <div className={classes.last}>
      <Result result={isRunning || !lastRun ? 'running' : resultOf(lastRun)} />
      {lastRun && (
        <small>
          <RelativeTime at={(isRunning ? undefined : lastRun.endedAt) ?? lastRun.startedAt} />
        </small>
      )}
      {isRunning && lastRun?.step !== undefined && (
        <small>{t('tasks.StepOf', { step: lastRun.step, steps: operations.length })}</small>
      )}
      {!isRunning && lastRun?.reason !== undefined && (
        <small>
          <bdi>{reasonText(t, lastRun.reason, lastRun.refusal)}</bdi>
        </small>
      )}
    </div>
  )
}

function Actions({ task, ...on }: { task: ListedTask } & Omit<TaskListProps, 'tasks' | 'timezone'>) {
  const t = useT()
  const { name, isRunning } = task.view
  return (
    <div className={classes.actions}>
      {/* Not in the place of the other: a double click on that must not cancel what it began. */}
      {isRunning && (
        <Action label={t('tasks.CancelRunOf', { name })} Icon={IconPlayerStop} run={() => on.onCancel(task)} />
      )}
      <Action
        label={t('tasks.RunOf', { name })}
        Icon={IconPlayerPlay}
        obstacle={isRunning ? t('errors.ErrTaskRunning') : undefined}
        run={() => on.onRun(task)}
      />
      <Action label={t('tasks.HistoryOf', { name })} Icon={IconHistory} run={() => on.onHistory(task)} />
      <Action label={t('tasks.EditOf', { name })} Icon={IconPencil} run={() => on.onEdit(task)} />
      <Action label={t('tasks.DeleteOf', { name })} Icon={IconTrash} run={() => on.onRemove(task)} />
    </div>
  )
}

interface ActionProps {
  readonly label: string
  readonly Icon: TablerIcon
  /** Why it cannot be done now. */
  readonly obstacle?: string | undefined
  readonly run: () => void
}

function Action({ label, Icon, obstacle, run }: ActionProps) {
  const off = obstacle === undefined ? {} : { 'aria-disabled': true, 'data-disabled': true }
  return (
    <ActionIcon
      aria-label={label}
      data-tip={obstacle ?? label}
      {...off}
      onClick={() => {
        if (obstacle === undefined) run()
      }}
    >
      <Icon size={17} aria-hidden />
    </ActionIcon>
  )
}
