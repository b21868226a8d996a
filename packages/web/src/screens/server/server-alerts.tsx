import type { ServerDetail } from '@innkeeper/contract/servers/servers'
import type { DiskSpace } from '@innkeeper/contract/servers/status'
import { Button, Stack } from '@mantine/core'
import { IconCloudDownload, IconRefresh } from '@tabler/icons-react'
import { Suspense, useEffect, useEffectEvent } from 'react'
import { Link } from 'react-router'
import { CountdownAlert } from '../../features/power/countdown-menu.tsx'
import type { Power } from '../../features/power/use-power.ts'
import { useT } from '../../i18n/i18n.tsx'
import { useFormatters } from '../../i18n/use-formatters.ts'
import { hasGivenUp } from '../../realtime/connection.ts'
import { useCan } from '../../session/session.tsx'
import { Alert } from '../../ui/feedback/alert.tsx'
import { toDisplayStatus } from '../../ui/feedback/status.tsx'
import { lazyView } from '../../ui/loading/lazy-view.tsx'
import { useDelayed } from '../../ui/loading/use-delayed.ts'
import { errorMessage } from '../../ui/text/error-message.ts'
import { maintenanceText } from '../../ui/text/node-availability.ts'
import { toast } from '../../ui/toasts/toast.tsx'
import { ExitAlert, InstallAlert, SlowStopAlert } from './exit-alert.tsx'
import { NotRespondingAlert } from './not-responding-alert.tsx'
import type { Can } from './permissions.ts'
import classes from './server.module.css'
import { SleepingAlert } from './sleeping-alert.tsx'
import type { LivePage } from './use-live-page.ts'

const SuspendedAlert = lazyView(async () => (await import('./suspended-alert.tsx')).SuspendedAlert)
const PromptAlert = lazyView(async () => (await import('./prompt-alert.tsx')).PromptAlert)

interface ServerAlertsProps {
  readonly server: ServerDetail
  readonly can: Can
  readonly live: LivePage
  readonly power: Power
  /** Absent where the console is open, or the user has no permission for it. */
  readonly onOpenConsole: (() => void) | undefined
  /** The same for the backups. */
  readonly onOpenBackups: (() => void) | undefined
  /** The server was just created and has never run. */
  readonly isNew: boolean
}

/** Problems of the server and its connection; nothing when there are none. */
export function ServerAlerts(props: ServerAlertsProps) {
  const { server, can, live, power, isNew, onOpenConsole, onOpenBackups } = props
  const { id, node, suspension } = server
  const { state, buffer } = live
  const t = useT()
  const formatters = useFormatters()
  const { timeSince } = formatters
  const canSeeNodes = useCan('nodes.view')
  const { connection, unreachable, status } = state
  const install = power.controls.find(({ action }) => action === 'install')
  const isDeleted = connection.status === 'ended' && connection.because === 'deleted'
  // The delay hides the moment between two connections when only some permissions were revoked.
  const hasEnded = useDelayed(connection.status === 'ended' && connection.because !== 'left')

  const hasSocketFailed = hasGivenUp(connection) && !unreachable
  useSocketToast(hasSocketFailed)

  const maintenance = maintenanceText(t, formatters, node)
  const alerts = [
    hasEnded && (
      <Alert key="ended" type="error" action={<Link to="/server">{t('not-found.GoToServers')}</Link>}>
        {t(isDeleted ? 'server.WasDeleted' : 'server.Revoked')}
      </Alert>
    ),
    suspension && (
      <Suspense key="suspension" fallback={null}>
        <SuspendedAlert server={server} suspension={suspension} onOpenBackups={onOpenBackups} />
      </Suspense>
    ),
    maintenance !== undefined && (
      <Alert key="maintenance" type="info" role="status">
        {maintenance}
      </Alert>
    ),
    unreachable?.host === 'panel' && (
      <Alert key="panel" type="warning" role="alert">
        {t('server.PanelUnreachable', { time: timeSince(unreachable.since) })}
      </Alert>
    ),
    unreachable?.host === 'node' && (
      <Alert
        key="node"
        type="warning"
        action={canSeeNodes && <Link to={`/node/${node.id}`}>{t('server.OpenNode')}</Link>}
        role="alert"
      >
        {t('server.NodeUnreachable', { node: node.name, time: timeSince(unreachable.since) })}
      </Alert>
    ),
    hasSocketFailed && (
      <Alert
        key="socket"
        type="warning"
        role="alert"
        action={
          <Button
            size="xs"
            variant="default"
            leftSection={<IconRefresh size={16} aria-hidden />}
            onClick={() => live.connection?.reconnect()}
          >
            {t('server.Reconnect')}
          </Button>
        }
      >
        {t('errors.ErrSocketFailed')}
      </Alert>
    ),
    status?.isInDoubt && !unreachable && (
      <Alert key="doubt" type="warning" role="alert">
        {t('server.InDoubt')}
      </Alert>
    ),
    status?.notResponding && power.displayStatus === 'notResponding' && (
      <NotRespondingAlert key="liveness" server={id} notResponding={status.notResponding} power={power} can={can} />
    ),
    status?.sleeping && power.displayStatus === 'sleeping' && (
      <SleepingAlert key="sleep" sleeping={status.sleeping} power={power} />
    ),
    status?.lowDiskSpace && (
      <Alert key="disk" type="warning" role="status">
        {t('errors.ErrDiskLimit', toMebibytes(status.lowDiskSpace))}
      </Alert>
    ),
    status?.restartAt && status.state === 'online' && (
      <CountdownAlert key="restart" server={id} restartAt={status.restartAt} canCancel={can('startServer')} />
    ),
    status?.prompt && (
      <Suspense key={`prompt-${status.prompt.at}`} fallback={null}>
        <PromptAlert server={id} prompt={status.prompt} power={power} can={can} />
      </Suspense>
    ),
    status?.lastExit && power.displayStatus === toDisplayStatus(status) && (
      <ExitAlert key="exit" server={id} status={status} buffer={buffer} onOpenConsole={onOpenConsole} />
    ),
    status?.lastInstall && power.displayStatus === toDisplayStatus(status) && (
      <InstallAlert key="install" status={status} buffer={buffer} />
    ),
    status?.state === 'stopping' && (power.displayStatus === 'stopping' || power.displayStatus === 'restarting') && (
      <SlowStopAlert key={`stopping-${status.since}`} status={status} power={power} />
    ),
    power.requirementError !== undefined && (
      <Alert
        key="requirement"
        type="error"
        action={
          <Button size="xs" variant="subtle" onClick={power.clearRequirementError}>
            {t('common.Close')}
          </Button>
        }
      >
        {errorMessage(t, power.requirementError)}
      </Alert>
    ),
    isNew && (
      <Alert
        key="new"
        type="success"
        role="status"
        action={
          install && (
            <Button
              size="xs"
              disabled={install.disabledReason !== undefined}
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
  return (
    alerts.length > 0 && (
      <Stack className={classes.alerts} gap="xs" px={{ base: 'sm', sm: 0 }} py={{ base: 'xs', sm: 0 }}>
        {alerts}
      </Stack>
    )
  )
}

function toMebibytes({ usedBytes, limitBytes }: DiskSpace): { used: number; max: number } {
  return { used: Math.ceil(usedBytes / 1024 ** 2), max: Math.ceil(limitBytes / 1024 ** 2) }
}

const socketToast = 'socket-failed'

/** Shows a toast when the live connection is given up. It draws attention to the alert, and ends with it. */
function useSocketToast(hasFailed: boolean): void {
  const t = useT()
  const show = useEffectEvent(() => toast.warning(t('errors.ErrSocketFailed'), { id: socketToast }))
  useEffect(() => {
    if (!hasFailed) return
    show()
    return () => toast.hide(socketToast)
  }, [hasFailed])
}
