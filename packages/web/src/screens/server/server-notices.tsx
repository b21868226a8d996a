import { Button } from '@mantine/core'
import { IconCloudDownload, IconRefresh } from '@tabler/icons-react'
import { Link } from 'react-router'
import type { ConsoleBuffer } from '../../features/console/buffer.ts'
import type { Power } from '../../features/power/use-power.tsx'
import { useFormats, useText } from '../../i18n/text.tsx'
import { isGivenUp } from '../../live/connection.ts'
import type { LiveView } from '../../live/server-live.ts'
import { useMay } from '../../session/session.tsx'
import { Notice } from '../../ui/notice.tsx'
import { messageOf } from '../../ui/refusal.tsx'
import { reportedState } from '../../ui/status.tsx'
import { useIsLate } from '../../ui/use-late.ts'
import { EndNotice, LongStopNotice } from './end-notice.tsx'
import classes from './server.module.css'

interface NoticesProps {
  readonly node: string
  readonly view: LiveView
  readonly buffer: ConsoleBuffer
  readonly power: Power
  readonly isNew: boolean
  readonly onReconnect: () => void
}

/** What a person must know before they look further down; nothing when all is well. */
export function ServerNotices({ node, view, buffer, power, isNew, onReconnect }: NoticesProps) {
  const text = useText()
  const { time } = useFormats()
  const maySeeNodes = useMay('nodes.view')
  const { connection, unreachable, status } = view
  const install = power.controls.find(({ action }) => action === 'install')
  const isSilent = unreachable !== undefined
  const isDeleted = connection.is === 'ended' && connection.because === 'deleted'
  // Where other rights are left, another connection opens at once and there is nothing to say.
  const hasEnded = useIsLate(connection.is === 'ended' && connection.because !== 'left')

  const notices = [
    hasEnded && (
      <Notice key="ended" kind="error" action={<Link to="/server">{text('server.ToServers')}</Link>}>
        {text(isDeleted ? 'server.WasDeleted' : 'server.Revoked')}
      </Notice>
    ),
    unreachable?.who === 'panel' && (
      <Notice key="away" kind="warning" urgent>
        {text('server.PanelAway', { time: time(unreachable.since) })}
      </Notice>
    ),
    unreachable?.who === 'node' && (
      <Notice
        key="silent"
        kind="warning"
        action={maySeeNodes && <Link to="/node">{text('server.OpenNode')}</Link>}
        urgent
      >
        {text('server.NodeSilent', { node, time: time(unreachable.since) })}
      </Notice>
    ),
    isGivenUp(connection) && !isSilent && (
      <Notice
        key="failed"
        kind="warning"
        urgent
        action={
          <Button size="xs" variant="default" leftSection={<IconRefresh size={16} aria-hidden />} onClick={onReconnect}>
            {text('server.Reconnect')}
          </Button>
        }
      >
        {text('errors.ErrSocketFailed')}
      </Notice>
    ),
    status?.isInDoubt && !isSilent && (
      <Notice key="doubt" kind="warning" urgent>
        {text('server.InDoubt')}
      </Notice>
    ),
    status?.lastExit && power.state === reportedState(status) && (
      <EndNotice key="end" status={status} buffer={buffer} />
    ),
    status?.state === 'stopping' && (power.state === 'stopping' || power.state === 'restarting') && (
      <LongStopNotice key={`stopping-${status.since}`} since={status.since} power={power} />
    ),
    power.lack !== undefined && (
      <Notice
        key="lack"
        kind="error"
        action={
          <Button size="xs" variant="subtle" color="gray" onClick={power.forgetLack}>
            {text('common.Close')}
          </Button>
        }
      >
        {messageOf(text, power.lack)}
      </Notice>
    ),
    isNew && (
      <Notice
        key="new"
        kind="success"
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
        {text('server.Created')}
      </Notice>
    ),
  ].filter(Boolean)
  return notices.length > 0 && <div className={classes.notices}>{notices}</div>
}
