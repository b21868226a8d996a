import { listActivity } from '@innkeeper/contract/activity'
import { NativeSelect } from '@mantine/core'
import { useMemo } from 'react'
import { useSearchParams } from 'react-router'
import { useCall } from '../../api/use-call.ts'
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
import { useText } from '../../i18n/text.tsx'
import { useMay } from '../../session/session.tsx'
import { NoPermission } from '../../ui/no-permission.tsx'
import { Page, PageHead } from '../../ui/page.tsx'
import { Card } from '../../ui/small.tsx'
import classes from './activity-screen.module.css'

/** What everybody did in the panel, for administrators. The filter stands in the address. */
export function ActivityScreen() {
  const text = useText()
  const isAdmin = useMay('servers.admin')
  return (
    <Page>
      <PageHead title={text('activity.Title')} />
      {isAdmin ? <Everything /> : <NoPermission />}
    </Page>
  )
}

function Everything() {
  const text = useText()
  const [search, setSearch] = useSearchParams()
  const filter = filterFrom(search)
  const asked = search.get('server') ?? ''
  const server = /^[0-9a-f]{8}$/.test(asked) ? asked : ''
  const { servers } = useKnownServers()
  const names = useMemo(() => new Map(servers.map(({ id, name }) => [id, name])), [servers])
  const list = useCall(
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
          aria-label={text('activity.FilterServer')}
          value={server}
          data={[
            { value: '', label: text('activity.AnyServer') },
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
      <Card>
        <ActivityList
          list={list}
          nameOfServer={(id) => names.get(id)}
          isFiltered={!isWhole(filter) || server !== ''}
          onClear={clear}
          onPage={(page) => change({ ...filter, page })}
        />
      </Card>
      <p className={classes.kept}>
        <Kept />
      </p>
    </>
  )
}

const pageSize = 25
