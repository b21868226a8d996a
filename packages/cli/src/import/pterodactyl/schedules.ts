import type { Step } from '@innkeeper/contract/definitions/operations'
import { powerActions } from '@innkeeper/contract/definitions/operations'
import { cronProblem } from '@innkeeper/contract/jobs/cron'
import { limits } from '@innkeeper/contract/text/limits'
import type { ForeignRow } from '@innkeeper/panel/database/foreign-database'
import { flagIn, numberIn, textIn } from '../rows.ts'

/** The tasks of a server, by their key in its definition. */
export function getTasks(
  schedules: readonly ForeignRow[],
  actions: ReadonlyMap<string, readonly ForeignRow[]>,
  timezone: string,
  note: (text: string) => void,
): Record<string, unknown> {
  return Object.fromEntries(
    schedules.map((row) => {
      const id = textIn(row, 'id') ?? ''
      const name = (textIn(row, 'name') ?? '').trim().slice(0, limits.taskNameMax) || `Schedule ${id}`
      const fields = ['minute', 'hour', 'day_of_month', 'month', 'day_of_week']
      const cron = fields.map((field) => textIn(row, `cron_${field}`) ?? '*').join(' ')
      const isActive = flagIn(row, 'is_active')
      if (!isActive) note(`schedule ${name}: is inactive, and has no schedule here`)
      if (cronProblem(cron) !== undefined) note(`schedule ${name}: ${cron} is not a valid schedule`)
      if (flagIn(row, 'only_when_online')) note(`schedule ${name}: runs while the server is offline, too`)
      const steps = [...(actions.get(id) ?? [])]
        .toSorted((a, b) => (numberIn(a, 'sequence_id') ?? 0) - (numberIn(b, 'sequence_id') ?? 0))
        .flatMap((action) => getSteps(action, (text) => note(`schedule ${name}: ${text}`)))
      if (steps.length > limits.taskSteps)
        note(`schedule ${name}: has ${steps.length} steps, and only the first ${limits.taskSteps} are carried over`)
      const cronSchedule = isActive && cronProblem(cron) === undefined ? cron : null
      return [`schedule-${id}`, { name, cronSchedule, timezone, operations: steps.slice(0, limits.taskSteps) }]
    }),
  )
}

function getSteps(row: ForeignRow, note: (text: string) => void): Step[] {
  const [action, payload] = [textIn(row, 'action') ?? '', textIn(row, 'payload') ?? '']
  const seconds = Math.min(Math.max(numberIn(row, 'time_offset') ?? 0, 0), 86_400)
  const wait: Step[] = seconds > 0 ? [{ type: 'sleep', duration: `${seconds}s` }] : []
  // A backup is only started there, so its failure ends nothing.
  const isLenient = flagIn(row, 'continue_on_failure') || action === 'backup'
  const lenient = isLenient ? { continueOnError: true } : {}
  switch (action) {
    case 'power': {
      const power = powerActions.find((action) => action === payload)
      if (power) return [...wait, { type: 'power', action: power, ...lenient }]
      break
    }
    case 'command':
      if (payload !== '') return [...wait, { type: 'stdin', command: payload, ...lenient }]
      break
    case 'backup':
      if (payload.trim() !== '') note('files that a backup leaves out are set in the backup settings here')
      return [...wait, { type: 'backup', ...lenient }]
  }
  note(`the action ${action} ${payload.slice(0, 100)} does not exist here`)
  return []
}
