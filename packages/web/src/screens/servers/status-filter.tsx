import { VisuallyHidden } from '@mantine/core'
import { useFormatters, useT } from '../../i18n/i18n.tsx'
import { StatusIcon } from '../../ui/status.tsx'
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
  const t = useT()
  const { number } = useFormatters()
  return (
    <fieldset className={classes.segments}>
      <VisuallyHidden component="legend">{t('servers.StatusFilter')}</VisuallyHidden>
      {statusChoices.map((status) => (
        <label key={status} className={classes.segment}>
          <input
            type="radio"
            name="status"
            value={status}
            checked={status === chosen}
            onChange={() => onChoose(status)}
          />
          {status !== 'all' && <StatusIcon state={status === 'busy' ? 'starting' : status} size={10} />}
          {t(names[status])}
          <span className={classes.count}>{number(counts[status])}</span>
        </label>
      ))}
    </fieldset>
  )
}
