import { createElement, useCallback, useMemo } from 'react'
import { useSearchParams } from 'react-router'
import { useHotkeys } from '../../hotkeys/hotkeys.tsx'
import { useT } from '../../i18n/i18n.tsx'
import type { Can } from './permissions.ts'
import { getCurrentTab, getForbiddenTab, getPermittedTabs, type Tab, tabNames, tabs } from './tabs.tsx'

/** The current tab, which is a search param, and its shortcuts. The search param `created` marks a new server. */
export function useTab(can: Can) {
  const t = useT()
  const [search, setSearch] = useSearchParams()
  const permitted = useMemo(() => getPermittedTabs(can), [can])
  const forbidden = getForbiddenTab(search.get('tab'), permitted)
  const tab = forbidden ? undefined : getCurrentTab(search.get('tab'), permitted)

  const open = useCallback(
    (next: Tab) =>
      setSearch((before) => {
        const params = new URLSearchParams(before)
        params.set('tab', next)
        return params
      }),
    [setSearch],
  )
  const clearNew = useCallback(
    (nextTab?: Tab) =>
      setSearch(
        (before) => {
          const params = new URLSearchParams(before)
          params.delete('created')
          if (nextTab) params.set('tab', nextTab)
          return params
        },
        { replace: true },
      ),
    [setSearch],
  )

  const group = t('server.Tabs')
  useHotkeys(
    tabNames.map((tabName) => {
      const { label, Icon, keys } = tabs[tabName]
      return {
        keys,
        label: t(label),
        icon: createElement(Icon, { size: 18, 'aria-hidden': true }),
        group,
        isContextual: true,
        enabled: permitted.includes(tabName),
        run: () => open(tabName),
      }
    }),
  )
  return {
    /** Undefined while the user has no permission for the tab of the URL. */
    tab,
    forbidden,
    permitted,
    isNew: search.has('created'),
    open,
    clearNew,
    /** Shows the output of the install. */
    showInstall: () => clearNew(permitted.includes('console') ? 'console' : undefined),
  }
}
