import { VisuallyHidden } from '@mantine/core'
import { useFormats, useText } from '../../i18n/text.tsx'
import { StatusMark } from '../../ui/status.tsx'
import { type StatusChoice, statusChoices } from './rows.ts'
import classes from './servers-screen.module.css'

const names: Readonly<Record<StatusChoice, string>> = {
  all: 'servers.All',
  online: 'status.online',
  busy: 'servers.Busy',
  offline: 'status.offline',
  crashed: 'status.crashed',
  unknown: 'status.unknown',
}

interface StatusFilterProps {
  readonly chosen: StatusChoice
  readonly counts: Readonly<Record<StatusChoice, number>>
  readonly onChoose: (status: StatusChoice) => void
}

export function StatusFilter({ chosen, counts, onChoose }: StatusFilterProps) {
  const text = useText()
  const { number } = useFormats()
  return (
    <fieldset className={classes.segments}>
      <VisuallyHidden component="legend">{text('servers.StatusFilter')}</VisuallyHidden>
      {statusChoices.map((status) => (
        <label key={status} className={classes.segment}>
          <input
            type="radio"
            name="status"
            value={status}
            checked={status === chosen}
            onChange={() => onChoose(status)}
          />
          {status !== 'all' && <StatusMark state={status === 'busy' ? 'starting' : status} size={10} />}
          {text(names[status])}
          <span className={classes.count}>{number(counts[status])}</span>
        </label>
      ))}
    </fieldset>
  )
}
