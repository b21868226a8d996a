import type { ServerDetail } from '@innkeeper/contract/servers/servers'
import type { Suspension } from '@innkeeper/contract/servers/suspension'
import { Button, Group, Text } from '@mantine/core'
import { useState } from 'react'
import { SuspendDialog } from '../../features/suspension/suspend-dialog.tsx'
import { useEndSuspension } from '../../features/suspension/use-end-suspension.ts'
import { useT } from '../../i18n/i18n.tsx'
import { useFormatters } from '../../i18n/use-formatters.ts'
import { useCan } from '../../session/session.tsx'
import { Alert } from '../../ui/feedback/alert.tsx'

interface SuspendedAlertProps {
  readonly server: ServerDetail
  readonly suspension: Suspension
  /** Absent where the backups are open, or the user has no permission for them. */
  readonly onOpenBackups: (() => void) | undefined
}

/** Since when and why the server is suspended, and what its users can do. */
export function SuspendedAlert({ server, suspension, onOpenBackups }: SuspendedAlertProps) {
  const t = useT()
  const { shortDateTime } = useFormatters()
  const canEnd = useCan('servers.edit.admin')
  const [isChanging, setIsChanging] = useState(false)
  const { end, isPending } = useEndSuspension(server.id)
  const { reason, since, until } = suspension
  const about = canEnd ? 'server.SuspendedForAdmins' : 'server.SuspendedForUsers'
  return (
    <Alert
      type="warning"
      role="status"
      action={
        <Group gap="xs">
          {onOpenBackups && !canEnd && (
            <Button size="xs" variant="default" onClick={onOpenBackups}>
              {t('server.TabBackups')}
            </Button>
          )}
          {canEnd && (
            <>
              <Button size="xs" variant="default" onClick={() => setIsChanging(true)}>
                {t('common.Edit')}
              </Button>
              <Button size="xs" variant="default" loading={isPending} onClick={end}>
                {t('server.SuspensionEnd')}
              </Button>
            </>
          )}
        </Group>
      }
    >
      <p>
        {t('server.SuspendedSince', { time: shortDateTime(Date.parse(since)) })}{' '}
        {until !== undefined && t('server.SuspendedUntil', { time: shortDateTime(Date.parse(until)) })}
      </p>
      <Text inherit fw={600} my="2xs" style={{ whiteSpace: 'pre-line', overflowWrap: 'anywhere' }}>
        {reason}
      </Text>
      <p>
        {t(about)} {onOpenBackups && !canEnd && t('server.SuspendedBackups')}
      </p>
      {isChanging && <SuspendDialog server={server} suspension={suspension} onClose={() => setIsChanging(false)} />}
    </Alert>
  )
}
