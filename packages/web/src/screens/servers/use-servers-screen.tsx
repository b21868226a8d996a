import type { ListedServer } from '@innkeeper/contract/servers/servers'
import { IconPlus } from '@tabler/icons-react'
import { useRef, useState } from 'react'
import { useNavigate } from 'react-router'
import { useAction } from '../../api/use-action.ts'
import type { PowerAction } from '../../features/power/power.ts'
import { useConfirmPower } from '../../features/power/use-confirm-power.ts'
import { useCpuHistory } from '../../features/servers/use-cpu-history.ts'
import { useHotkeys } from '../../hotkeys/hotkeys.tsx'
import { useT } from '../../i18n/i18n.tsx'
import { usePinnedServers } from '../../session/preferences.tsx'
import { useCan } from '../../session/session.tsx'
import { type Selection, useSelection } from '../../ui/lists/use-selection.ts'
import { useCanOnListed, useListActions } from './list/server-list.ts'
import { type ListFilter, useListFilter } from './list/use-list-filter.ts'
import { useCompactRows } from './use-compact-rows.ts'
import { type RowRange, useServerRows } from './use-server-rows.ts'

/** The state of the servers list. */
export type ServersScreenState = ReturnType<typeof useServersScreen>

export function useServersScreen() {
  const filter = useListFilter()
  const [range, setRange] = useState<RowRange>({ start: 0, end: 50 })
  const list = useServerRows(filter, range)
  const loaded = list.rows.filter((server) => server !== undefined)
  const measured = loaded.flatMap(({ id }) => (list.usage.get(id)?.stats ? [id] : []))
  const isScrolling = filter.size === 'all'
  // One request for each server: too many while a long list scrolls.
  const cpuHistory = useCpuHistory(isScrolling ? noServers : measured)
  const selection = useListSelection(loaded, filter, list)
  const [editedTags, setEditedTags] = useState<ListedServer>()
  const confirmPower = useConfirmPower()
  const runAction = async (server: ListedServer, action: PowerAction) => {
    const { status } = list.usage.get(server.id) ?? {}
    if (await confirmPower(server, action, status)) await list.power.run(server, action)
  }
  const filterInput = useRef<HTMLInputElement>(null)
  const [isFilterExpanded, setFilterExpanded] = useState(filter.query !== '')
  const [isSelectMode, setSelectMode] = useState(false)
  const isEmpty = !list.isLoading && !list.error && list.total === 0
  const actions = useListActions({
    run: (server, action) => void runAction(server, action),
    editTags: setEditedTags,
    toggle: selection.toggle,
    toggleAll: selection.toggleAll,
    sort: ({ sort, order }) => filter.change({ sort, order }),
    togglePinned: usePinnedServers().toggle,
  })
  const focusFilter = () => {
    setFilterExpanded(true)
    window.setTimeout(() => filterInput.current?.focus())
  }
  useListHotkeys(isEmpty ? undefined : focusFilter)

  return {
    filter,
    list,
    setRange,
    isScrolling,
    isEmpty,
    selection,
    rowHeight: useCompactRows(),
    filterInput,
    isFilterExpanded,
    setFilterExpanded,
    isSelectMode,
    toggleSelectMode: () => {
      if (isSelectMode) selection.clear()
      setSelectMode(!isSelectMode)
    },
    editedTags,
    closeTags: () => setEditedTags(undefined),
    knownTags: list.tags.map(({ name }) => name),
    listProps: {
      rows: list.rows,
      usage: list.usage,
      cpuHistory,
      power: list.power,
      can: useCanOnListed(),
      actions,
    },
  }
}

/** Without `focusFilter` there is nothing to filter. */
function useListHotkeys(focusFilter: (() => void) | undefined): void {
  const t = useT()
  const navigate = useNavigate()
  useHotkeys([
    {
      keys: '/',
      label: t('servers.FilterAction'),
      group: t('servers.List'),
      enabled: focusFilter !== undefined,
      run: () => focusFilter?.(),
    },
    {
      id: 'add-server',
      label: t('servers.Add'),
      group: t('hotkeys.GoTo'),
      icon: <IconPlus size={18} aria-hidden />,
      enabled: useCan('servers.create'),
      run: () => void navigate('/addserver'),
    },
  ])
}

/** The selected servers, as long as the filter stays the same. */
function useListSelection(
  loaded: readonly ListedServer[],
  { query, status, node, tags, size }: ListFilter,
  { matchCount, fetchAllMatches }: Pick<ReturnType<typeof useServerRows>, 'matchCount' | 'fetchAllMatches'>,
): Selection<ListedServer> {
  const selection = useSelection(loaded, ({ id }) => id, [query.trim(), status, node, ...tags].join(' '))
  const matches = useAction(async (use: (all: readonly ListedServer[]) => void) => use(await fetchAllMatches()))
  return size === 'all' ? selectInScrollingList(selection, matchCount, matches.mutate) : selection
}

const noServers: readonly string[] = []

/** In a list that scrolls, "all" and ranges include the rows that are not loaded. */
function selectInScrollingList(
  selection: Selection<ListedServer>,
  matchCount: number,
  loadMatches: (use: (all: readonly ListedServer[]) => void) => Promise<unknown>,
): Selection<ListedServer> {
  const isAll = matchCount > 0 && selection.selected.length >= matchCount
  return {
    ...selection,
    isAll,
    toggleAll: () => {
      if (isAll) selection.clear()
      else void loadMatches(selection.select)
    },
    toggle: (id, isRange = false) => {
      if (!isRange) selection.toggle(id)
      else void loadMatches((all) => selection.toggle(id, true, all))
    },
  }
}
