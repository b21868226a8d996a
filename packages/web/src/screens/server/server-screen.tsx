import type { Backup } from '@innkeeper/contract/backups/backups'
import { getServer, type ServerDetail } from '@innkeeper/contract/servers/servers'
import { isCrash, isNotResponding, type ServerStatus } from '@innkeeper/contract/servers/status'
import { limits } from '@innkeeper/contract/text/limits'
import { Paper, Skeleton, Stack, Tabs } from '@mantine/core'
import { IconServerOff } from '@tabler/icons-react'
import { Activity, type ReactNode, Suspense, useEffect, useMemo, useRef, useState } from 'react'
import { useParams } from 'react-router'
import { isRefusal } from '../../api/request.ts'
import { useApiQuery } from '../../api/use-api.ts'
import { PowerRow } from '../../features/power/power-buttons.tsx'
import { useCountdown } from '../../features/power/use-countdown.tsx'
import { usePower } from '../../features/power/use-power.ts'
import { UnsavedChangesScope } from '../../forms/unsaved-changes.tsx'
import { useT } from '../../i18n/i18n.tsx'
import { useCan, useSession } from '../../session/session.tsx'
import { notifyInTab } from '../../theme/browser-tab.ts'
import { EmptyState } from '../../ui/feedback/empty-state.tsx'
import { Page, PageHeader, useDocumentTitle, useIsPhone } from '../../ui/layout/page.tsx'
import { PageScope } from '../../ui/layout/page-scope.tsx'
import { lazyView } from '../../ui/loading/lazy-view.tsx'
import { QueryState } from '../../ui/loading/query-state.tsx'
import { useDelayed } from '../../ui/loading/use-delayed.ts'
import { NoTabPermission } from './no-tab-permission.tsx'
import { type Can, createCan } from './permissions.ts'
import { RenameDialog } from './rename-dialog.tsx'
import classes from './server.module.css'
import { ServerAlerts } from './server-alerts.tsx'
import { ServerHeader, ServerPhoneHeader } from './server-header.tsx'
import { TabBar, TabList } from './server-tabs.tsx'
import { type Tab, tabs } from './tabs.tsx'
import { useLivePage } from './use-live-page.ts'
import { useTab } from './use-tab.ts'

const CloneDialog = lazyView(async () => (await import('../../features/clone/clone-dialog.tsx')).CloneDialog)
const FailedClones = lazyView(async () => (await import('../../features/clone/failed-clones.tsx')).FailedClones)

/** Name and node of the server can change too. */
const livePollMs = 60_000

/** The page of one server. */
export function ServerScreen() {
  const t = useT()
  const { id = '' } = useParams()
  const { scopes } = useSession()
  const [isLive, setIsLive] = useState(false)
  // Permissions can be granted and revoked while the page is open. An open socket says so; without one they are polled.
  const query = useApiQuery(
    getServer,
    { params: { id }, query: { perms: '' } },
    { refetchInterval: isLive ? livePollMs : limits.socketRecheckMs, meta: { quiet: true } },
  )
  const permissions = query.data?.permissions ?? null
  const can = useMemo(() => createCan(scopes, permissions), [scopes, permissions])

  if (!query.data && isRefusal(query.error, 'ErrNotFound', 'ErrServerNotFound', 'ErrFieldInvalid')) {
    return <ServerNotFound />
  }
  return (
    <Page type="workspace" flush>
      <QueryState inCard query={query} errorTitle={t('server.NotLoaded')} skeleton={<ServerSkeleton />}>
        {({ server }) => (
          <ServerPage
            key={id}
            server={server}
            can={can}
            onLive={setIsLive}
            onPermissions={() => void query.refetch()}
          />
        )}
      </QueryState>
    </Page>
  )
}

interface ServerPageProps {
  readonly server: ServerDetail
  readonly can: Can
  /** Whether the socket is open. */
  readonly onLive: (isLive: boolean) => void
  /** The permissions may be others than `can` says. */
  readonly onPermissions: () => void
}

function ServerPage({ server, can, onLive, onPermissions }: ServerPageProps) {
  const t = useT()
  const isPhone = useIsPhone()
  const live = useLivePage({ server, can, onLive, onPermissions })
  const { connection, state, stats } = live
  const { status } = state
  const power = usePower({
    server,
    status,
    unreachable: state.unreachable?.host,
    can,
    onSettled: (action, isAccepted) => {
      connection?.refresh()
      if (action === 'install' && isAccepted) showInstall()
    },
  })
  const countdown = useCountdown({ server: server.id, status: state.unreachable ? undefined : status, can })
  const { tab, forbidden, permitted, isNew, open, clearNew, showInstall } = useTab(can)
  const [isRenaming, setIsRenaming] = useState(false)
  const canCreateServers = useCan('servers.create')
  const canClone = canCreateServers && clonePermissions.every(can)
  const [cloning, setCloning] = useState<{ readonly backup?: Backup | undefined }>()
  const onClone = canClone ? (backup?: Backup) => setCloning({ backup }) : undefined
  useDocumentTitle(server.name, tab && tab !== 'console' ? t(tabs[tab].label) : undefined)
  useTabNotices(status)
  // The server is no longer new as soon as it was started or installed, by whomever.
  const hasRun = status !== undefined && hasEverRun(status)
  useEffect(() => {
    if (isNew && hasRun) clearNew()
  }, [isNew, hasRun, clearNew])

  const header = {
    server,
    power,
    status,
    countdown,
    canRename: can('editServerData'),
    onRename: () => setIsRenaming(true),
  }
  const hasPowerRow = isPhone && tab === 'console'
  const getOpener = (name: Tab) => (permitted.includes(name) && tab !== name ? () => open(name) : undefined)
  return (
    <>
      {isPhone ? (
        <ServerPhoneHeader {...header} hasPowerRow={hasPowerRow} stats={can('viewServerStats') ? stats : undefined} />
      ) : (
        <ServerHeader {...header} />
      )}
      <ServerAlerts
        server={server}
        can={can}
        live={live}
        power={power}
        isNew={isNew && !hasRun}
        onOpenConsole={getOpener('console')}
        onOpenBackups={getOpener('backups')}
      />
      {canClone && (
        <Suspense fallback={null}>
          <FailedClones source={server.id} />
        </Suspense>
      )}
      {/* The page lays out the list and the panels. The panels hide their content themselves: see TabPanel. */}
      <Tabs
        display="contents"
        keepMountedMode="display-none"
        value={tab ?? null}
        onChange={(next) => next && open(next as Tab)}
      >
        {!isPhone && <TabList permitted={permitted} />}
        {hasPowerRow && <PowerRow power={power} />}
        {forbidden && (
          <NoTabPermission
            tab={forbidden}
            permitted={permitted}
            isSuspended={server.suspension !== undefined}
            onOpen={open}
          />
        )}
        {permitted.map((name) => {
          const { Content } = tabs[name]
          return (
            <TabPanel key={name} tab={name} isActive={name === tab}>
              <Content {...live} server={server} can={can} onClone={onClone} />
            </TabPanel>
          )
        })}
        {isPhone && <TabBar permitted={permitted} current={tab} onChange={open} />}
      </Tabs>
      {cloning && (
        <CloneDialog
          server={server}
          backup={cloning.backup}
          canBackUp={can('createServerBackups')}
          canEditUsers={can('editServerUsers')}
          onClose={() => setCloning(undefined)}
        />
      )}
      {countdown.dialog}
      {isRenaming && <RenameDialog server={server} onClose={() => setIsRenaming(false)} />}
    </>
  )
}

/** The permissions that a clone needs on its source. */
const clonePermissions = ['viewServerBackups', 'viewServerFiles', 'editServerData'] as const

function hasEverRun({ running, installing, lastExit }: ServerStatus): boolean {
  return running || installing || lastExit !== undefined
}

function ServerNotFound() {
  const t = useT()
  return (
    <Page type="form">
      <PageHeader title={t('shell.Servers')} />
      <Paper>
        <EmptyState
          icon={IconServerOff}
          title={t('errors.ErrServerNotFound')}
          link={{ to: '/server', label: t('not-found.GoToServers') }}
        />
      </Paper>
    </Page>
  )
}

function ServerSkeleton() {
  const t = useT()
  return (
    <Stack gap="md" flex={1} p={{ base: 'md', sm: 0 }} role="status" aria-label={t('common.Loading')}>
      <Skeleton h="2.75rem" w="20rem" maw="80%" />
      <Skeleton h="2.375rem" />
      <Skeleton flex={1} />
    </Stack>
  )
}

/** The content of a tab. It is mounted when the tab is first opened and keeps its state while another tab is active. */
function TabPanel({ tab, isActive, children }: { tab: Tab; isActive: boolean; children: ReactNode }) {
  const t = useT()
  const [wasOpened, setWasOpened] = useState(isActive)
  if (isActive && !wasOpened) setWasOpened(true)
  return (
    <Tabs.Panel
      value={tab}
      // On a phone the tab can be in the menu: then no element labels the panel.
      aria-label={t(tabs[tab].label)}
      className={tab === 'console' || tab === 'files' ? classes.workspace : classes.scrolling}
    >
      {wasOpened && (
        <UnsavedChangesScope isShown={isActive}>
          <PageScope>
            <Activity mode={isActive ? 'visible' : 'hidden'}>
              <Suspense fallback={<TabSkeleton />}>{children}</Suspense>
            </Activity>
          </PageScope>
        </UnsavedChangesScope>
      )}
    </Tabs.Panel>
  )
}

/** Stands for a tab whose code is being loaded. */
function TabSkeleton() {
  const t = useT()
  const isVisible = useDelayed(true)
  return (
    <Stack flex={1} gap="md" mih="12rem" p={{ base: 'sm', sm: 0 }} aria-busy="true">
      {isVisible && (
        <>
          <Skeleton h="2.25rem" maw="24rem" role="status" aria-label={t('common.Loading')} />
          <Skeleton h="12rem" />
          <Skeleton h="12rem" />
        </>
      )}
    </Stack>
  )
}

/** Says in the title of a background tab that the server crashed, does not respond, came online, was installed or failed to install. */
function useTabNotices(status: ServerStatus | undefined): void {
  const t = useT()
  const previous = useRef(status)
  useEffect(() => {
    const before = previous.current
    previous.current = status
    if (!before || !status) return
    const exit = status.lastExit?.at === before.lastExit?.at ? undefined : status.lastExit
    const install = status.lastInstall?.at === before.lastInstall?.at ? undefined : status.lastInstall
    if (exit && isCrash(exit)) notifyInTab('error', t('server.TabCrashed'))
    else if (install?.outcome === 'done') notifyInTab('success', t('server.TabInstalled'))
    else if (install?.outcome === 'failed') notifyInTab('error', t('server.InstallFailed'))
    else if (isNotResponding(status) && !isNotResponding(before)) notifyInTab('error', t('status.notResponding'))
    else if (status.state === 'online' && before.state !== 'online') notifyInTab('success', t('server.TabOnline'))
  }, [status, t])
}
