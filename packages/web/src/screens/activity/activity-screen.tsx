import { listActivity } from '@innkeeper/contract/activity'
import { NativeSelect, Paper } from '@mantine/core'
import { useMemo } from 'react'
import { useSearchParams } from 'react-router'
import { useApiQuery } from '../../api/use-api-query.ts'
import { ActivityFilters } from '../../features/activity/activity-filters.tsx'
import { ActivityList } from '../../features/activity/activity-list.tsx'
import {
  type ActivityFilter,
  filterFrom,
  isWhole,
  queryOf,
  wholeActivity,
  withFilter,
} from '../../features/activity/filter.ts'
import { Kept } from '../../features/activity/kept.tsx'
import { useKnownServers } from '../../features/servers/known-servers.ts'
import { useT } from '../../i18n/i18n.tsx'
import { useCan } from '../../session/session.tsx'
import { NoPermission } from '../../ui/no-permission.tsx'
import { Page, PageHeader } from '../../ui/page.tsx'
import classes from './activity-screen.module.css'

/** What everybody did in the panel, for administrators. The filter stands in the address. */
export function ActivityScreen() {
  const t = useT()
  const isAdmin = useCan('servers.admin')
  return (
    <Page>
      <PageHeader title={t('activity.Title')} />
      {isAdmin ? <Everything /> : <NoPermission />}
    </Page>
  )
}

function Everything() {
  const t = useT()
  const [search, setSearch] = useSearchParams()
  const filter = filterFrom(search)
  const asked = search.get('server') ?? ''
  const server = /^[0-9a-f]{8}$/.test(asked) ? asked : ''
  const { servers } = useKnownServers()
  const names = useMemo(() => new Map(servers.map(({ id, name }) => [id, name])), [servers])
  const list = useApiQuery(
    listActivity,
    { query: { ...queryOf(filter), limit: pageSize, ...(server === '' ? {} : { server }) } },
    { placeholderData: (before) => before },
  )
  const change = (next: ActivityFilter) => setSearch(withFilter(search, next), { replace: true })
  const clear = () => setSearch(new URLSearchParams(), { replace: true })

  const choices = servers.map(({ id, name }) => ({ value: id, label: name }))
  const isUnknown = server !== '' && !names.has(server)
  return (
    <>
      <ActivityFilters filter={filter} onFilter={(next) => (next === wholeActivity ? clear() : change(next))}>
        <NativeSelect
          className={`ik-soft ${classes.server}`}
          aria-label={t('activity.FilterServer')}
          value={server}
          data={[
            { value: '', label: t('activity.AnyServer') },
            ...choices,
            ...(isUnknown ? [{ value: server, label: server }] : []),
          ]}
          onChange={(event) => {
            const next = withFilter(search, { ...filter, page: 1 })
            if (event.currentTarget.value === '') next.delete('server')
            else next.set('server', event.currentTarget.value)
            setSearch(next, { replace: true })
          }}
        />
      </ActivityFilters>
      <Paper>
        <ActivityList
          list={list}
          nameOfServer={(id) => names.get(id)}
          isFiltered={!isWhole(filter) || server !== ''}
          onClear={clear}
          onPage={(page) => change({ ...filter, page })}
        />
      </Paper>
      <p className={classes.kept}>
        <Kept />
      </p>
    </>
  )
}

const pageSize = 25
