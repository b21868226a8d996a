import { listActivity } from '@innkeeper/contract/activity/activity'
import { NativeSelect, Paper } from '@mantine/core'
import { useSearchParams } from 'react-router'
import { useApiQuery } from '../../api/use-api.ts'
import { ActivityFilters, filterSelectProps } from '../../features/activity/activity-filters.tsx'
import { ActivityList } from '../../features/activity/activity-list.tsx'
import {
  type ActivityFilter,
  isUnfiltered,
  noFilter,
  parseFilter,
  setFilterParams,
  toQuery,
} from '../../features/activity/filter.ts'
import { RetentionNote } from '../../features/activity/retention-note.tsx'
import { useServerList } from '../../features/servers/use-server-list.ts'
import { useT } from '../../i18n/i18n.tsx'
import { useCan } from '../../session/session.tsx'
import { NoPermission } from '../../ui/feedback/no-permission.tsx'
import { Page, PageHeader } from '../../ui/layout/page.tsx'

const pageSize = 25

/** The audit log of the panel, for administrators. The filter is part of the address. */
export function ActivityScreen() {
  const t = useT()
  const isAdmin = useCan('servers.admin')
  return (
    <Page>
      <PageHeader title={t('activity.Title')} />
      {isAdmin ? <PanelActivity /> : <NoPermission scope="servers.admin" />}
    </Page>
  )
}

function PanelActivity() {
  const t = useT()
  const [search, setSearch] = useSearchParams()
  const filter = parseFilter(search)
  const serverParam = search.get('server') ?? ''
  const server = /^[0-9a-f]{8}$/.test(serverParam) ? serverParam : ''
  const { servers } = useServerList()
  const getServerName = (id: string) => servers.find((server) => server.id === id)?.name
  const list = useApiQuery(
    listActivity,
    { query: { ...toQuery(filter), limit: pageSize, ...(server === '' ? {} : { server }) } },
    { placeholderData: (before) => before },
  )
  const setFilter = (next: ActivityFilter) => setSearch(setFilterParams(search, next), { replace: true })
  const clear = () => setSearch(new URLSearchParams(), { replace: true })
  const setServer = (id: string) => {
    const next = setFilterParams(search, { ...filter, page: 1 })
    if (id === '') next.delete('server')
    else next.set('server', id)
    setSearch(next, { replace: true })
  }

  const isUnknownServer = server !== '' && getServerName(server) === undefined
  return (
    <>
      <ActivityFilters filter={filter} onFilter={(next) => (next === noFilter ? clear() : setFilter(next))}>
        <NativeSelect
          {...filterSelectProps}
          aria-label={t('activity.FilterServer')}
          value={server}
          data={[
            { value: '', label: t('activity.AnyServer') },
            ...servers.map(({ id, name }) => ({ value: id, label: name })),
            ...(isUnknownServer ? [{ value: server, label: server }] : []),
          ]}
          onChange={(event) => setServer(event.currentTarget.value)}
        />
      </ActivityFilters>
      <Paper>
        <ActivityList
          list={list}
          getServerName={getServerName}
          isFiltered={!isUnfiltered(filter) || server !== ''}
          onClear={clear}
          onPage={(page) => setFilter({ ...filter, page })}
        />
      </Paper>
      <RetentionNote />
    </>
  )
}
