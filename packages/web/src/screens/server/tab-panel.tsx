import { Skeleton, Stack, Tabs } from '@mantine/core'
import { Activity, type ReactNode, Suspense, useState } from 'react'
import { UnsavedChangesScope } from '../../forms/unsaved-changes.tsx'
import { useT } from '../../i18n/i18n.tsx'
import { PageScope } from '../../ui/layout/page-scope.tsx'
import { useDelayed } from '../../ui/loading/use-delayed.ts'
import classes from './server.module.css'
import { type Tab, tabs } from './tabs.tsx'

/** The content of a tab. It is mounted when the tab is first opened and keeps its state while another tab is active. */
export function TabPanel({ tab, isActive, children }: { tab: Tab; isActive: boolean; children: ReactNode }) {
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
