import { type LivenessCheckType, livenessCheckTypes } from '@innkeeper/contract/definitions/liveness'
import type { NotResponding } from '@innkeeper/contract/servers/status'
import { Button, Group } from '@mantine/core'
import { useState } from 'react'
import type { Power } from '../../features/power/use-power.ts'
import { useT } from '../../i18n/i18n.tsx'
import { useFormatters } from '../../i18n/use-formatters.ts'
import { Alert } from '../../ui/feedback/alert.tsx'
import { lazyOverlay } from '../../ui/loading/lazy-overlay.tsx'
import type { Can } from './permissions.ts'

const ReportsDialog = lazyOverlay(
  async () => (await import('../../features/liveness/reports-dialog.tsx')).ReportsDialog,
)

interface NotRespondingAlertProps {
  readonly server: string
  readonly notResponding: NotResponding
  readonly power: Power
  readonly can: Can
}

/** That the server does not respond and since when, with the report about it, Restart and Kill. */
export function NotRespondingAlert({ server, notResponding, power, can }: NotRespondingAlertProps) {
  const t = useT()
  const { timeSince } = useFormatters()
  const [isOpen, setIsOpen] = useState(false)
  const actions = power.controls.filter(({ action }) => action === 'restart' || action === 'kill')
  return (
    <Alert
      type="error"
      role="alert"
      action={
        <Group gap="xs">
          {can('viewServerConsole') && (
            <Button size="xs" variant="default" onClick={() => setIsOpen(true)}>
              {t('liveness.ShowReport')}
            </Button>
          )}
          {actions.map(({ action, label, disabledReason, run }) => (
            <Button
              key={action}
              size="xs"
              variant="default"
              // The buttons above the tabs have the same labels.
              aria-label={t('common.ActionFor', { action: label, name: t('status.notResponding') })}
              disabled={disabledReason !== undefined}
              onClick={run}
            >
              {label}
            </Button>
          ))}
        </Group>
      }
    >
      {t(`liveness.Reason_${toReason(notResponding.reason)}`, { time: timeSince(Date.parse(notResponding.since)) })}
      {isOpen && <ReportsDialog server={server} onClose={() => setIsOpen(false)} />}
    </Alert>
  )
}

/** A newer node may have other checks. */
function toReason(reason: string): LivenessCheckType | 'unknown' {
  return livenessCheckTypes.find((type) => type === reason) ?? 'unknown'
}
