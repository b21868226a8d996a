import { Paper } from '@mantine/core'
import { Suspense, useRef } from 'react'
import { useCan } from '../../session/session.tsx'
import { Page, useIsPhone } from '../../ui/layout/page.tsx'
import { lazyOverlay } from '../../ui/loading/lazy-overlay.tsx'
import { lazyView } from '../../ui/loading/lazy-view.tsx'
import { usePreload } from '../../ui/loading/use-preload.ts'
import { FilterBar } from './filter-bar.tsx'
import { UsageContext } from './list/server-list.ts'
import { serverRowMenu } from './server-menu.tsx'
import { loadPhoneList, ServerRows } from './server-rows.tsx'
import classes from './servers.module.css'
import { ServersHeader } from './servers-header.tsx'
import { useServersScreen } from './use-servers-screen.tsx'

// Not part of the first load: the rows do not wait for these.
const loadBulkBar = async () => (await import('./bulk/server-bulk-bar.tsx')).ServerBulkBar
const ServerBulkBar = lazyView(loadBulkBar)
const preload = () => Promise.all([loadBulkBar(), serverRowMenu.load()])
const preloadOnPhone = () => Promise.all([loadPhoneList(), preload()])
const ListFooter = lazyView(async () => (await import('./list-footer.tsx')).ListFooter)
const FirstSteps = lazyView(async () => (await import('./first-steps.tsx')).FirstSteps)
const FailedClones = lazyView(async () => (await import('../../features/clone/failed-clones.tsx')).FailedClones)
const ReleaseNotice = lazyView(async () => (await import('./release-notice.tsx')).ReleaseNotice)
const TagsDialog = lazyOverlay(async () => (await import('./tags/tags-dialog.tsx')).TagsDialog)

/** The list of servers with their status, usage and power actions. */
export function ServersScreen() {
  const isPhone = useIsPhone()
  const isAdmin = useCan('servers.admin')
  const canCreate = useCan('servers.create')
  const card = useRef<HTMLDivElement>(null)
  const screen = useServersScreen()
  const { list, selection, knownTags, editedTags } = screen
  usePreload(isPhone ? preloadOnPhone : preload)

  // On a phone it is there from the start: the first selected row does not move the others.
  const bulkBar = (
    <Suspense fallback={null}>
      <ServerBulkBar
        selection={selection}
        matchCount={list.matchCount}
        fetchAllMatches={list.fetchAllMatches}
        {...{ power: list.power, usage: list.usage, can: screen.listProps.can, knownTags }}
      />
    </Suspense>
  )
  return (
    <Page flush>
      <ServersHeader screen={screen} />
      {isAdmin && (
        <Suspense fallback={null}>
          <ReleaseNotice />
        </Suspense>
      )}
      {canCreate && (
        <Suspense fallback={null}>
          <FailedClones />
        </Suspense>
      )}
      {!screen.isEmpty && !list.error && (
        <FilterBar
          screen={screen}
          onEnterList={() => card.current?.querySelector<HTMLElement>('a[data-row]')?.focus()}
        />
      )}
      {isPhone && screen.isSelectMode && bulkBar}
      <UsageContext value={list.usage}>
        <Paper ref={card} className={classes.card}>
          {!isPhone && selection.selected.length > 0 && bulkBar}
          <ServerRows screen={screen} />
          {list.matchCount > 0 && (
            <Suspense fallback={null}>
              <ListFooter screen={screen} />
            </Suspense>
          )}
        </Paper>
      </UsageContext>
      {isAdmin && (
        <Suspense fallback={null}>
          <FirstSteps />
        </Suspense>
      )}
      {editedTags && (
        <TagsDialog key={editedTags.id} server={editedTags} knownTags={knownTags} onClose={screen.closeTags} />
      )}
    </Page>
  )
}
