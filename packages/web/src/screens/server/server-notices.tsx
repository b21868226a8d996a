import { Button } from '@mantine/core'
import { IconCloudDownload, IconRefresh } from '@tabler/icons-react'
import { Link } from 'react-router'
import type { ConsoleBuffer } from '../../features/console/buffer.ts'
import type { Power } from '../../features/power/use-power.tsx'
import { useFormatters, useT } from '../../i18n/i18n.tsx'
import { hasGivenUp } from '../../realtime/connection.ts'
import type { ServerSnapshot } from '../../realtime/server-connection.ts'
import { useCan } from '../../session/session.tsx'
import { Alert } from '../../ui/alert.tsx'
import { errorMessage } from '../../ui/error-message.ts'
import { toDisplayStatus } from '../../ui/status.tsx'
import { useDelayed } from '../../ui/use-delayed.ts'
import { EndNotice, LongStopNotice } from './end-notice.tsx'
import classes from './server.module.css'

interface NoticesProps {
  readonly node: string
  readonly view: ServerSnapshot
  readonly buffer: ConsoleBuffer
  readonly power: Power
  readonly isNew: boolean
  readonly onReconnect: () => void
}

/** What a person must know before they look further down; nothing when all is well. */
export function ServerNotices({ node, view, buffer, power, isNew, onReconnect }: NoticesProps) {
  const t = useT()
  const { time } = useFormatters()
  const maySeeNodes = useCan('nodes.view')
  const { connection, unreachable, status } = view
  const install = power.controls.find(({ action }) => action === 'install')
  const isSilent = unreachable !== undefined
  const isDeleted = connection.status === 'ended' && connection.because === 'deleted'
  // Where other rights are left, another connection opens at once and there is nothing to say.
  const hasEnded = useDelayed(connection.status === 'ended' && connection.because !== 'left')

  const notices = [
    hasEnded && (
      <Alert key="ended" type="error" action={<Link to="/server">{t('server.ToServers')}</Link>}>
        {t(isDeleted ? 'server.WasDeleted' : 'server.Revoked')}
      </Alert>
    ),
    unreachable?.who === 'panel' && (
      <Alert key="away" type="warning" urgent>
        {t('server.PanelAway', { time: time(unreachable.since) })}
      </Alert>
    ),
    unreachable?.who === 'node' && (
      <Alert key="silent" type="warning" action={maySeeNodes && <Link to="/node">{t('server.OpenNode')}</Link>} urgent>
        {t('server.NodeSilent', { node, time: time(unreachable.since) })}
      </Alert>
    ),
    hasGivenUp(connection) && !isSilent && (
      <Alert
        key="failed"
        type="warning"
        urgent
        action={
          <Button size="xs" variant="default" leftSection={<IconRefresh size={16} aria-hidden />} onClick={onReconnect}>
            {t('server.Reconnect')}
          </Button>
        }
      >
        {t('errors.ErrSocketFailed')}
      </Alert>
    ),
    status?.isInDoubt && !isSilent && (
      <Alert key="doubt" type="warning" urgent>
        {t('server.InDoubt')}
      </Alert>
    ),
    status?.lastExit && power.state === toDisplayStatus(status) && (
      <EndNotice key="end" status={status} buffer={buffer} />
    ),
    status?.state === 'stopping' && (power.state === 'stopping' || power.state === 'restarting') && (
      <LongStopNotice key={`stopping-${status.since}`} since={status.since} power={power} />
    ),
    power.lack !== undefined && (
      <Alert
        key="lack"
        type="error"
        action={
          <Button size="xs" variant="subtle" color="gray" onClick={power.forgetLack}>
            {t('common.Close')}
          </Button>
        }
      >
        {errorMessage(t, power.lack)}
      </Alert>
    ),
    isNew && (
      <Alert
        key="new"
        type="success"
        action={
          install && (
            <Button
              size="xs"
              disabled={install.obstacle !== undefined}
              leftSection={<IconCloudDownload size={16} aria-hidden />}
              onClick={install.run}
            >
              {install.label}
            </Button>
          )
        }
      >
        {t('server.Created')}
      </Alert>
    ),
  ].filter(Boolean)
  return notices.length > 0 && <div className={classes.notices}>{notices}</div>
}
