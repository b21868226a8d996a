import { listServerActivity } from '@innkeeper/contract/activity'
import { Paper } from '@mantine/core'
import { useState } from 'react'
import { useApiQuery } from '../../api/use-api-query.ts'
import { useT } from '../../i18n/i18n.tsx'
import classes from './activity.module.css'
import { ActivityFilters } from './activity-filters.tsx'
import { ActivityList } from './activity-list.tsx'
import { isWhole, queryOf, wholeActivity } from './filter.ts'
import { Kept } from './kept.tsx'

/** What people did with one server, for those who manage its users. */
export function ServerActivity({ id }: { id: string }) {
  const t = useT()
  const [filter, setFilter] = useState(wholeActivity)
  const list = useApiQuery(
    listServerActivity,
    { params: { id }, query: queryOf(filter) },
    { placeholderData: (before) => before },
  )
  return (
    <Paper>
      <section aria-label={t('activity.Title')}>
        <div className={classes.head}>
          <h2>{t('activity.Title')}</h2>
          <Kept />
        </div>
        <div className={classes.inCard}>
          <ActivityFilters subject="server" filter={filter} onFilter={setFilter} />
        </div>
        <ActivityList
          list={list}
          isFiltered={!isWhole(filter)}
          onClear={() => setFilter(wholeActivity)}
          onPage={(page) => setFilter({ ...filter, page })}
        />
      </section>
    </Paper>
  )
}
