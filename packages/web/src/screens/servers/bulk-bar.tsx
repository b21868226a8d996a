import { Button } from '@mantine/core'
import { IconPlayerPlay, IconPlayerStop, IconRotateClockwise } from '@tabler/icons-react'
import type { PowerAction } from '../../features/servers/power.ts'
import { useText } from '../../i18n/text.tsx'
import classes from './servers-screen.module.css'

interface BulkBarProps {
  readonly count: number
  readonly onAct: (action: PowerAction) => void
  readonly onClear: () => void
}

/** What can be done with the chosen rows together. */
export function BulkBar({ count, onAct, onClear }: BulkBarProps) {
  const text = useText()
  return (
    <div className={classes.bulk} role="toolbar" aria-label={text('servers.Chosen', { count })}>
      <span role="status">{text('servers.Chosen', { count })}</span>
      <span className={classes.space} />
      <Button size="xs" variant="default" leftSection={<IconPlayerPlay size={15} />} onClick={() => onAct('start')}>
        {text('servers.Start')}
      </Button>
      <Button
        size="xs"
        variant="default"
        leftSection={<IconRotateClockwise size={15} />}
        onClick={() => onAct('restart')}
      >
        {text('servers.Restart')}
      </Button>
      <Button size="xs" variant="default" leftSection={<IconPlayerStop size={15} />} onClick={() => onAct('stop')}>
        {text('servers.Stop')}
      </Button>
      <Button size="xs" variant="subtle" color="gray" onClick={onClear}>
        {text('servers.ClearChoice')}
      </Button>
    </div>
  )
}
