import type { Sleeping } from '@innkeeper/contract/servers/status'
import { Button } from '@mantine/core'
import type { Power } from '../../features/power/use-power.ts'
import { useT } from '../../i18n/i18n.tsx'
import { useFormatters } from '../../i18n/use-formatters.ts'
import { Alert } from '../../ui/feedback/alert.tsx'

interface SleepingAlertProps {
  readonly sleeping: Sleeping
  readonly power: Power
}

/** Since when the server sleeps, what that saves, and Wake. */
export function SleepingAlert({ sleeping, power }: SleepingAlertProps) {
  const t = useT()
  const { percent, fileSize, timeSince } = useFormatters()
  const wake = power.controls.find(({ action }) => action === 'start')
  const { since, isFrozen, cpu = 0, memory = 0 } = sleeping
  const values = { cpu: percent(cpu), memory: fileSize(memory) }
  return (
    <Alert
      type="info"
      role="status"
      action={
        wake && (
          <Button size="xs" variant="default" disabled={wake.disabledReason !== undefined} onClick={wake.run}>
            {t('server.SleepWakeNow')}
          </Button>
        )
      }
    >
      {t('server.SleepSince', { time: timeSince(Date.parse(since)) })}{' '}
      {t(isFrozen ? 'server.SleepSavesCpu' : 'server.SleepSavesAll', values)}
    </Alert>
  )
}
