import type { TaskView } from '@innkeeper/contract/servers/tasks'
import { getTag } from '@innkeeper/contract/text/languages'
import { Group, Menu, Stack, Table, Text, UnstyledButton, VisuallyHidden } from '@mantine/core'
import {
  IconAlertTriangle,
  IconHistory,
  IconPencil,
  IconPlayerPlay,
  IconPlayerStop,
  IconTrash,
  type TablerIcon,
} from '@tabler/icons-react'
import { useLocale, useT } from '../../i18n/i18n.tsx'
import { useFormatters } from '../../i18n/use-formatters.ts'
import { hasSeconds, zonedTimeFormatter } from '../../i18n/zoned-time.ts'
import { CardTable } from '../../ui/lists/card-table.tsx'
import { IconButton } from '../../ui/menus/icon-button.tsx'
import { IconMenu } from '../../ui/menus/icon-menu.tsx'
import { RelativeTime } from '../../ui/text/relative-time.tsx'
import { useCronDescription } from './cron-description.ts'
import { describeTriggers, getRunResult, translateTaskReason } from './messages.ts'
import { RunResultLabel } from './run-result.tsx'
import classes from './tasks.module.css'
import type { ListedTask } from './use-tasks.ts'

interface TaskListProps {
  readonly tasks: readonly ListedTask[]
  /** The time zone of the node. */
  readonly timezone: string
  readonly onRun: (task: ListedTask) => void
  readonly onCancel: (task: ListedTask) => void
  readonly onHistory: (task: ListedTask) => void
  readonly onEdit: (task: ListedTask) => void
  readonly onRemove: (task: ListedTask) => void
}

/** Tasks with their triggers, next run and last result. */
export function TaskList({ tasks, timezone, ...actions }: TaskListProps) {
  const t = useT()
  return (
    <CardTable
      layout="fixed"
      horizontalSpacing="sm"
      verticalSpacing="sm"
      highlightOnHover
      aria-label={t('server.TabTasks')}
    >
      <Table.Thead>
        <Table.Tr>
          <Table.Th scope="col">{t('common.Name')}</Table.Th>
          <Table.Th scope="col" w="20%">
            {t('tasks.Schedule')}
          </Table.Th>
          <Table.Th scope="col" w="17%">
            {t('tasks.NextRun')}
          </Table.Th>
          <Table.Th scope="col" w="14%">
            {t('tasks.LastResult')}
          </Table.Th>
          {/* Five buttons: those of a task that runs. */}
          <Table.Th scope="col" w="12.5rem">
            <VisuallyHidden>{t('common.Actions')}</VisuallyHidden>
          </Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {tasks.map((task) => (
          <Table.Tr key={task.id}>
            <Table.Th scope="row" fz="sm" c="inherit" flex="1 1 60%">
              <Name task={task} onEdit={actions.onEdit} />
            </Table.Th>
            <Table.Td c="dimmed" flex="1 0 100%">
              <Triggers task={task.view} />
            </Table.Td>
            <Table.Td c="dimmed" data-label={t('tasks.NextRun')}>
              <NextRun task={task.view} timezone={timezone} />
            </Table.Td>
            <Table.Td data-label={t('tasks.LastResult')}>
              <LastResult task={task.view} />
            </Table.Td>
            <Table.Td style={{ order: -1 }}>
              <Actions task={task} {...actions} />
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </CardTable>
  )
}

function Name({ task, onEdit }: { task: ListedTask } & Pick<TaskListProps, 'onEdit'>) {
  const t = useT()
  const { name, problem, refusal } = task.view
  return (
    <Stack gap="3xs" align="flex-start" miw={0}>
      <UnstyledButton className={classes.name} onClick={() => onEdit(task)}>
        <bdi>{name}</bdi>
      </UnstyledButton>
      {problem !== undefined && (
        <Group gap="xs" wrap="nowrap" align="flex-start" c="var(--ik-warning)">
          <IconAlertTriangle size={15} aria-hidden />
          <Text fz="xs" style={{ overflowWrap: 'anywhere' }}>
            {translateTaskReason(t, problem, refusal)}
          </Text>
        </Group>
      )}
    </Stack>
  )
}

function Triggers({ task }: { task: TaskView }) {
  const t = useT()
  const describeCron = useCronDescription()
  return (
    <Stack gap="3xs" align="flex-start" style={{ overflowWrap: 'anywhere' }}>
      {describeTriggers(t, task, describeCron).map((trigger) => (
        <bdi key={trigger}>{trigger}</bdi>
      ))}
      {task.if && <bdi>{t('steps.If', { condition: task.if })}</bdi>}
    </Stack>
  )
}

/** The next run in the time zone of the browser, and in that of the task or node where its clock differs. */
function NextRun({ task: { nextRun, timezone }, timezone: nodeTimezone }: { task: TaskView; timezone: string }) {
  const t = useT()
  const tag = getTag(useLocale().locale)
  if (nextRun === undefined) return t('tasks.NoNextRun')
  const time = new Date(nextRun)
  const zone = timezone ?? nodeTimezone
  const format = (inZone: string | undefined) => zonedTimeFormatter(tag, inZone, hasSeconds([time]))(time)
  const local = format(undefined)
  const zoned = format(zone)
  return (
    <Stack gap="3xs" align="flex-start">
      <time dateTime={nextRun}>{local}</time>
      {/* Zones with the same clock have different names: UTC, Etc/UTC, Africa/Accra. */}
      {zoned !== local && (
        <Text span variant="caption">
          {t('tasks.InZone', { time: zoned, zone })}
        </Text>
      )}
    </Stack>
  )
}

/** When and why it was not run because of its condition. */
function Unmet({ unmet: { at, refusal } }: { unmet: NonNullable<TaskView['unmet']> }) {
  const t = useT()
  const { dateTime } = useFormatters()
  const reason = translateTaskReason(t, refusal.code, refusal)
  return (
    <Text component="bdi" variant="caption">
      {t('tasks.NotRunAt', { time: dateTime(Date.parse(at)), reason })}
    </Text>
  )
}

function LastResult({ task: { isRunning, lastRun, unmet, operations } }: { task: TaskView }) {
  const t = useT()
  if (!lastRun && !isRunning && !unmet)
    return (
      <Text span c="dimmed">
        {t('tasks.NeverRan')}
      </Text>
    )
  return (
    <Stack gap="3xs" align="flex-start" style={{ overflowWrap: 'anywhere' }}>
      {(isRunning || lastRun) && <RunResultLabel result={isRunning || !lastRun ? 'running' : getRunResult(lastRun)} />}
      {lastRun && (
        <Text span variant="caption">
          <RelativeTime time={(isRunning ? undefined : lastRun.endedAt) ?? lastRun.startedAt} />
        </Text>
      )}
      {isRunning && lastRun?.step !== undefined && (
        <Text span variant="caption">
          {t('tasks.StepOf', { step: lastRun.step, steps: operations.length })}
        </Text>
      )}
      {!isRunning && lastRun?.reason !== undefined && (
        <Text component="bdi" variant="caption">
          {translateTaskReason(t, lastRun.reason, lastRun.refusal)}
        </Text>
      )}
      {!isRunning && unmet && <Unmet unmet={unmet} />}
    </Stack>
  )
}

interface ActionsProps extends Omit<TaskListProps, 'tasks' | 'timezone'> {
  readonly task: ListedTask
}

interface Action {
  /** Its name in the menu of the task. */
  readonly label: string
  /** Its name beside the actions of other tasks. */
  readonly fullLabel: string
  readonly Icon: TablerIcon
  readonly isDisabled?: boolean
  readonly isDanger?: boolean
  readonly run: () => void
}

function useActions({ task, onRun, onCancel, onHistory, onEdit, onRemove }: ActionsProps): readonly Action[] {
  const t = useT()
  const { name, isRunning } = task.view
  const cancel: Action = {
    label: t('tasks.CancelRun'),
    fullLabel: t('tasks.CancelRunOf', { name }),
    Icon: IconPlayerStop,
    run: () => onCancel(task),
  }
  return [
    // Not in the place of the run button: a double click there must not cancel the run.
    ...(isRunning ? [cancel] : []),
    {
      label: t('tasks.RunNow'),
      fullLabel: t('tasks.RunOf', { name }),
      Icon: IconPlayerPlay,
      isDisabled: isRunning,
      run: () => onRun(task),
    },
    {
      label: t('tasks.History'),
      fullLabel: t('tasks.HistoryOf', { name }),
      Icon: IconHistory,
      run: () => onHistory(task),
    },
    { label: t('common.Edit'), fullLabel: t('common.EditNamed', { name }), Icon: IconPencil, run: () => onEdit(task) },
    {
      label: t('common.Delete'),
      fullLabel: t('common.DeleteNamed', { name }),
      Icon: IconTrash,
      isDanger: true,
      run: () => onRemove(task),
    },
  ]
}

/** Buttons, and on a phone a menu. */
function Actions(props: ActionsProps) {
  const t = useT()
  const actions = useActions(props)
  return (
    <>
      <Group gap="3xs" wrap="nowrap" justify="flex-end" visibleFrom="sm">
        {actions.map(({ fullLabel, Icon, isDisabled, run }) => (
          <IconButton
            key={fullLabel}
            label={fullLabel}
            size={32}
            aria-disabled={isDisabled || undefined}
            data-disabled={isDisabled || undefined}
            onClick={isDisabled ? undefined : run}
          >
            <Icon size={17} aria-hidden />
          </IconButton>
        ))}
      </Group>
      <IconMenu label={t('tasks.ActionsOf', { name: props.task.view.name })} size={44} button={{ hiddenFrom: 'sm' }}>
        {actions.map(({ label, Icon, isDisabled, isDanger, run }) => (
          <Menu.Item
            key={label}
            c={isDanger ? 'var(--ik-offline)' : undefined}
            leftSection={<Icon size={18} aria-hidden />}
            disabled={isDisabled === true}
            onClick={run}
          >
            {label}
          </Menu.Item>
        ))}
      </IconMenu>
    </>
  )
}
