import type { Step } from '@innkeeper/contract/definitions/operations'
import { cronProblem } from '@innkeeper/contract/jobs/cron'
import { limits } from '@innkeeper/contract/text/limits'
import type { ForeignRow } from '@innkeeper/panel/database/foreign-database'
import { flagIn, numberIn, textIn } from '../rows.ts'

/** The tasks of a server, by their key in its definition. */
export function getTasks(rows: readonly ForeignRow[], note: (text: string) => void): Record<string, unknown> {
  return Object.fromEntries(
    rows.flatMap((row) => {
      const id = textIn(row, 'schedule_id') ?? ''
      const text = textIn(row, 'name') || textIn(row, 'comment') || textIn(row, 'action') || ''
      const name = text.trim().slice(0, limits.taskNameMax) || `Schedule ${id}`
      const refuse = (reason: string) => {
        note(`schedule ${name}: ${reason}`)
        return []
      }
      if (flagIn(row, 'one_time')) return refuse('runs once, which does not exist here')
      if (textIn(row, 'interval_type') === 'reaction') return refuse('follows another one, which does not exist here')
      const step = findStep(textIn(row, 'command') ?? '')
      if (!step) return refuse(`the action ${textIn(row, 'command')} does not exist here`)
      const cron = findCron(row)
      if (cron === undefined || cronProblem(cron) !== undefined) return refuse('its time cannot be converted')
      if (losesTime(row)) note(`schedule ${name}: runs every ${textIn(row, 'interval')} days, but not at a fixed time`)
      const isEnabled = flagIn(row, 'enabled')
      if (!isEnabled) note(`schedule ${name}: is disabled, and has no schedule here`)
      return [[`schedule-${id}`, { name, cronSchedule: isEnabled ? cron : null, operations: [step] }]]
    }),
  )
}

/** A cron text wins over an interval. */
function findCron(row: ForeignRow): string | undefined {
  const cron = textIn(row, 'cron_string')?.trim()
  if (cron) return cron
  const interval = numberIn(row, 'interval') ?? 0
  if (!Number.isInteger(interval) || interval < 1) return undefined
  switch (textIn(row, 'interval_type')) {
    case 'minutes':
      return `@every ${interval}m`
    case 'hours':
      return `@every ${interval}h`
    case 'days': {
      const [, hour, minute] = /^(\d{1,2}):(\d{2})/.exec(textIn(row, 'start_time') ?? '') ?? []
      if (hour === undefined || minute === undefined) return undefined
      return interval === 1 ? `${Number(minute)} ${Number(hour)} * * *` : `@every ${interval * 24}h`
    }
    default:
      return undefined
  }
}

/** A time of day at an interval of several days is no cron text. */
const losesTime = (row: ForeignRow): boolean =>
  !textIn(row, 'cron_string')?.trim() && textIn(row, 'interval_type') === 'days' && numberIn(row, 'interval') !== 1

function findStep(command: string): Step | undefined {
  const power = /^(start|stop|restart|kill)_server$/.exec(command)?.[1]
  if (power) return { type: 'power', action: power }
  if (command === 'backup_server') return { type: 'backup' }
  if (command === '' || command === 'update_executable') return undefined
  return { type: 'stdin', command }
}
