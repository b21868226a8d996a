import { limits } from '@innkeeper/contract/limits'
import { getServer, type ServerView } from '@innkeeper/contract/servers'
import type { ServerStatus } from '@innkeeper/contract/status'
import { Activity, type ReactNode, Suspense, useCallback, useEffect, useEffectEvent, useMemo, useState } from 'react'
import { Navigate, useParams, useSearchParams } from 'react-router'
import { isRefusal } from '../../api/request.ts'
import { useApiQuery } from '../../api/use-api-query.ts'
import { ConsoleBuffer } from '../../features/console/buffer.ts'
import type { PowerAction } from '../../features/power/power.ts'
import { PowerRow } from '../../features/power/power-buttons.tsx'
import { usePower } from '../../features/power/use-power.tsx'
import { RenameDialog } from '../../features/rename/rename-dialog.tsx'
import { UnsavedChangesScope } from '../../forms/unsaved-changes.tsx'
import { useHotkeys } from '../../hotkeys/hotkeys.tsx'
import { useT } from '../../i18n/i18n.tsx'
import { hasGivenUp } from '../../realtime/connection.ts'
import { useServerConnection } from '../../realtime/use-server-connection.ts'
import { useSession } from '../../session/session.tsx'
import { QueryError } from '../../ui/empty-state.tsx'
import { lazyView } from '../../ui/lazy-view.tsx'
import { Page, useDocumentTitle, useIsPhone } from '../../ui/page.tsx'
import { PageScope } from '../../ui/page-scope.tsx'
import { toast } from '../../ui/toast.tsx'
import { ConsoleTab } from './console-tab.tsx'
import { type May, rightsFrom, type Tab, tabFrom, tabNames, tabs, tabsFor } from './rights.ts'
import classes from './server.module.css'
import { PhoneHeader, ServerHeader } from './server-header.tsx'
import { ServerNotices } from './server-notices.tsx'
import { ServerTabs } from './server-tabs.tsx'

const StatsPanel = lazyView(async () => (await import('../../features/stats/stats-panel.tsx')).StatsPanel)
const FilesTab = lazyView(async () => (await import('./files-tab.tsx')).FilesTab)
const TasksTab = lazyView(async () => (await import('./tasks-tab.tsx')).TasksTab)
const ServerSettings = lazyView(
  async () => (await import('../../features/server-settings/settings-form.tsx')).ServerSettings,
)
const ServerUsers = lazyView(async () => (await import('../../features/server-users/server-users.tsx')).ServerUsers)
const ServerClients = lazyView(async () => (await import('../../features/oauth-clients/clients.tsx')).ServerClients)
const ServerActivity = lazyView(
  async () => (await import('../../features/activity/server-activity.tsx')).ServerActivity,
)
const AdminPanel = lazyView(async () => (await import('../../features/server-admin/admin-panel.tsx')).AdminPanel)

/** The page of one server. */
export function ServerScreen() {
  const t = useT()
  const { id = '' } = useParams()
  const { scopes } = useSession()
  // Rights may be given and taken while somebody watches: the page follows.
  const found = useApiQuery(
    getServer,
    { params: { id }, query: { perms: '' } },
    { refetchInterval: limits.socketRecheckMs, meta: { quiet: true } },
  )
  const permissions = found.data?.permissions ?? null
  const can = useMemo(() => rightsFrom(scopes, permissions), [scopes, permissions])

  if (found.isError && !found.data) {
    if (isRefusal(found.error, 'ErrNotFound', 'ErrServerNotFound', 'ErrFieldInvalid')) {
      return <Navigate to="/errors/404" replace />
    }
    return (
      <Page type="workspace">
        <QueryError title={t('server.NotLoaded')} error={found.error} retry={() => void found.refetch()} />
      </Page>
    )
  }
  if (!found.data) return <ServerSkeleton />
  return <ServerPage key={id} server={found.data.server} can={can} onRevoked={() => void found.refetch()} />
}

interface ServerPageProps {
  readonly server: ServerView
  readonly can: May
  /** The socket ended because a right was taken: which are left? */
  readonly onRevoked: () => void
}

function ServerPage({ server, can: may, onRevoked }: ServerPageProps) {
  const isPhone = useIsPhone()
  const [buffer] = useState(() => new ConsoleBuffer())
  const { live, view } = useServerConnection(server.id, buffer, may)
  const { tab, permitted, choose, isNew, forgetNew, watchInstall } = useTab(may)
  const [isRenaming, setIsRenaming] = useState(false)
  useDocumentTitle(server.name)
  useFailureToast(hasGivenUp(view.connection))
  const isRevoked = view.connection.status === 'ended' && view.connection.because === 'revoked'
  // biome-ignore lint/correctness/useExhaustiveDependencies: asked once for each end
  useEffect(() => {
    if (isRevoked) onRevoked()
  }, [isRevoked])

  const onSent = useCallback(
    (action: PowerAction, isAccepted: boolean) => {
      live?.refresh()
      if (action === 'install' && isAccepted) watchInstall()
    },
    [live, watchInstall],
  )
  // Whoever installed or started it, from wherever: there is nothing to be told any more.
  const hasBegun = view.status !== undefined && hasEverRun(view.status)
  useEffect(() => {
    if (isNew && hasBegun) forgetNew()
  }, [isNew, hasBegun, forgetNew])
  const power = usePower({ id: server.id, status: view.status, unreachable: view.unreachable?.who, can: may, onSent })
  const header = {
    server,
    power,
    status: view.status,
    mayRename: may('editServerData'),
    onRename: () => setIsRenaming(true),
  }
  const hasPowerRow = isPhone && tab === 'console'
  const isOffline = view.status?.running === false

  return (
    <Page type="workspace" flush>
      {isPhone ? (
        <PhoneHeader {...header} hasPowerRow={hasPowerRow} stats={may('viewServerStats') ? view.stats : undefined} />
      ) : (
        <ServerHeader {...header} />
      )}
      <ServerNotices
        node={server.node.name}
        view={view}
        buffer={buffer}
        power={power}
        isNew={isNew && !hasBegun}
        onReconnect={() => live?.reconnect()}
      />
      {!isPhone && <ServerTabs tabs={permitted} current={tab} onChoose={choose} isBar={false} />}
      {hasPowerRow && <PowerRow power={power} />}
      {permitted.map((one) => (
        <TabPanel key={one} tab={one} isShown={one === tab}>
          {one === 'console' && (
            <ConsoleTab
              server={server}
              buffer={buffer}
              view={view}
              can={may}
              onCommand={(command) => live?.sendCommand(command)}
            />
          )}
          {one === 'stats' && (
            <StatsPanel
              server={server.id}
              history={view.stats}
              isLive={view.connection.status === 'open'}
              isOffline={isOffline}
            />
          )}
          {one === 'files' && <FilesTab server={server} can={may} />}
          {one === 'tasks' && <TasksTab server={server.id} can={may} />}
          {one === 'settings' && <ServerSettings id={server.id} isAdmin={may('admin')} />}
          {one === 'users' && <ServerUsers server={server} can={may} />}
          {one === 'admin' && (
            <div className={classes.admin}>
              {(may('admin') || may('deleteServer')) && (
                <AdminPanel server={server} isAdmin={may('admin')} mayDelete={may('deleteServer')} />
              )}
              <div className={classes.adminParts}>
                <ServerClients server={server} />
                {may('editServerUsers') && <ServerActivity id={server.id} />}
              </div>
            </div>
          )}
        </TabPanel>
      ))}
      {isPhone && <ServerTabs tabs={permitted} current={tab} onChoose={choose} isBar />}
      {isRenaming && <RenameDialog server={server} onClose={() => setIsRenaming(false)} />}
    </Page>
  )
}

interface TabPanelProps {
  readonly tab: Tab
  readonly isShown: boolean
  readonly children: ReactNode
}

/** A part of the page. Once opened it keeps what was typed and where it was scrolled while others are shown. */
function TabPanel({ tab, isShown, children }: TabPanelProps) {
  const t = useT()
  const [wasShown, setWasShown] = useState(isShown)
  if (isShown && !wasShown) setWasShown(true)
  if (!wasShown) return null
  return (
    <UnsavedChangesScope isShown={isShown}>
      <PageScope>
        <Activity mode={isShown ? 'visible' : 'hidden'}>
          <div
            role="tabpanel"
            id={`panel-${tab}`}
            // A phone may have its tab behind a button: it has its name by itself.
            aria-label={t(tabNames[tab])}
            className={tab === 'console' || tab === 'files' ? classes.filling : classes.scrolling}
          >
            <Suspense fallback={<div className={classes.loading} aria-busy="true" />}>{children}</Suspense>
          </div>
        </Activity>
      </PageScope>
    </UnsavedChangesScope>
  )
}

/** The tab in the address, and its keys. */
function useTab(may: May) {
  const t = useT()
  const [search, setSearch] = useSearchParams()
  const permitted = useMemo(() => tabsFor(may), [may])
  const tab = tabFrom(search.get('tab'), permitted)
  const isNew = search.has('created')

  const choose = useCallback(
    (next: Tab) =>
      setSearch((now) => {
        const changed = new URLSearchParams(now)
        changed.set('tab', next)
        return changed
      }),
    [setSearch],
  )
  /** The server is no longer new. */
  const forgetNew = useCallback(() => {
    setSearch(
      (now) => {
        const changed = new URLSearchParams(now)
        changed.delete('created')
        return changed
      },
      { replace: true },
    )
  }, [setSearch])
  /** To where its output can be seen; the server is then no longer new. */
  const watchInstall = useCallback(() => {
    setSearch(
      (now) => {
        const changed = new URLSearchParams(now)
        changed.delete('created')
        if (permitted.includes('console')) changed.set('tab', 'console')
        return changed
      },
      { replace: true },
    )
  }, [setSearch, permitted])

  const keys: Readonly<Record<Tab, string>> = {
    console: 't c',
    stats: 't i',
    files: 't f',
    tasks: 't t',
    settings: 't s',
    users: 't u',
    admin: 't a',
  }
  const group = t('server.Parts')
  useHotkeys(
    tabs.map((one) => ({
      keys: keys[one],
      label: t(tabNames[one]),
      group,
      isContextual: true,
      enabled: permitted.includes(one),
      run: () => choose(one),
    })),
  )
  return { tab, permitted, choose, isNew, forgetNew, watchInstall }
}

/** Whether it runs, is being installed, or ran before. */
function hasEverRun({ running, installing, lastExit }: ServerStatus): boolean {
  return running || installing || lastExit !== undefined
}

/** Says once that the live connection is given up; the banner stays. */
function useFailureToast(hasFailed: boolean): void {
  const t = useT()
  const announce = useEffectEvent(() => toast.warning(t('errors.ErrSocketFailed')))
  useEffect(() => {
    if (hasFailed) announce()
  }, [hasFailed])
}

function ServerSkeleton() {
  const t = useT()
  return (
    <Page type="workspace">
      <div className={classes.skeleton} role="status" aria-label={t('common.Loading')}>
        <span />
        <span />
        <span />
      </div>
    </Page>
  )
}
