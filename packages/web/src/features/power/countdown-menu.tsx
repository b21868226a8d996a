import { cancelRestartCountdown } from '@innkeeper/contract/servers/restart-countdown'
import { Button, Menu } from '@mantine/core'
import { IconChevronDown, IconHourglass } from '@tabler/icons-react'
import { useApiMutation } from '../../api/use-action.ts'
import { useT } from '../../i18n/i18n.tsx'
import { useFormatters } from '../../i18n/use-formatters.ts'
import { Alert } from '../../ui/feedback/alert.tsx'
import { useNow } from '../../ui/hooks/use-now.ts'
import { IconMenu } from '../../ui/menus/icon-menu.tsx'
import type { Countdown } from './use-countdown.tsx'

/** Beside the power buttons; nothing while there is no item. */
export function CountdownMenu({ countdown }: { countdown: Countdown }) {
  const t = useT()
  if (!countdown.open) return null
  return (
    <IconMenu label={t('server.CountdownMenu')} icon={IconChevronDown} size={36}>
      <CountdownMenuItem countdown={countdown} />
    </IconMenu>
  )
}

export function CountdownMenuItem({ countdown: { open } }: { countdown: Countdown }) {
  const t = useT()
  if (!open) return null
  return (
    <Menu.Item leftSection={<IconHourglass size={18} aria-hidden />} onClick={open}>
      {t('server.CountdownOpen')}
    </Menu.Item>
  )
}

interface CountdownAlertProps {
  readonly server: string
  /** ISO 8601. */
  readonly restartAt: string
  readonly canCancel: boolean
}

/** When the server restarts, and Cancel. */
export function CountdownAlert({ server, restartAt, canCancel }: CountdownAlertProps) {
  const t = useT()
  const { longDuration } = useFormatters()
  const cancel = useApiMutation(cancelRestartCountdown)
  const now = useNow(0, 1_000)
  const duration = longDuration(Math.max(0, Date.parse(restartAt) - now))
  return (
    <Alert
      type="info"
      action={
        canCancel && (
          <Button
            size="xs"
            variant="default"
            loading={cancel.isPending}
            onClick={() => void cancel.mutate({ params: { id: server } })}
          >
            {t('server.CountdownCancel')}
          </Button>
        )
      }
    >
      {t('server.CountdownPending', { duration })}
    </Alert>
  )
}
