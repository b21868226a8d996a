import { createTask, deleteTask, listTasks, type TaskView } from '@innkeeper/contract/servers/tasks'
import { Paper, Switch } from '@mantine/core'
import { useId } from 'react'
import { request } from '../../api/request.ts'
import { useAction } from '../../api/use-action.ts'
import { useApiQuery } from '../../api/use-api.ts'
import { useT } from '../../i18n/i18n.tsx'
import { useFormatters } from '../../i18n/use-formatters.ts'

/** Every day at 4 o'clock, as the editor of schedules writes it. */
const daily = '0 4 */1 * ?'

/**
 * Switches a task on and off that creates a backup every day. Nothing while another task creates backups on a schedule: that
 * one is edited as a task.
 */
export function DailyBackup({ server }: { server: string }) {
  const t = useT()
  const { shortTime } = useFormatters()
  const labelId = useId()
  const tasks = useApiQuery(listTasks, { params: { id: server } }, { meta: { quiet: true } })
  const scheduled = Object.entries(tasks.data?.tasks ?? {}).filter(([, task]) => createsBackups(task))
  const own = scheduled.find(([, task]) => task.cronSchedule === daily && task.operations.length === 1)
  const label = t('backups.EveryDay', { time: shortTime(new Date(2026, 0, 1, 4).getTime()) })

  const change = useAction(
    (isOn: boolean) =>
      isOn
        ? request(createTask, {
            params: { id: server },
            body: {
              name: t('tasks.RecipeBackup'),
              cronSchedule: daily,
              operations: [{ type: 'backup' }],
              timezone: null,
            },
          })
        : request(deleteTask, { params: { id: server, task: own?.[0] ?? '' } }),
    { invalidates: [listTasks] },
  )
  if (!tasks.data || (scheduled.length > 0 && !own)) return null
  return (
    <Paper px="md" py="sm">
      <Switch
        aria-labelledby={labelId}
        label={<span id={labelId}>{label}</span>}
        checked={change.pending ?? own !== undefined}
        disabled={change.isPending}
        onChange={(event) => void change.mutate(event.currentTarget.checked)}
      />
    </Paper>
  )
}

function createsBackups({ cronSchedule, operations }: TaskView): boolean {
  return Boolean(cronSchedule) && operations.some(({ type }) => type === 'backup')
}
