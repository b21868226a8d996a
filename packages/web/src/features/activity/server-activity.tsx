import { listServerActivity } from '@innkeeper/contract/activity/activity'
import { Box, Divider, Paper } from '@mantine/core'
import { useId, useState } from 'react'
import { useApiQuery } from '../../api/use-api.ts'
import { useT } from '../../i18n/i18n.tsx'
import { CardHeader } from '../../ui/lists/card-header.tsx'
import { ActivityFilters } from './activity-filters.tsx'
import { ActivityList } from './activity-list.tsx'
import { isUnfiltered, noFilter, toQuery } from './filter.ts'
import { RetentionNote } from './retention-note.tsx'

/** The activity on one server, for users who manage its users. */
export function ServerActivity({ id }: { id: string }) {
  const t = useT()
  const titleId = useId()
  const [filter, setFilter] = useState(noFilter)
  const list = useApiQuery(
    listServerActivity,
    { params: { id }, query: toQuery(filter) },
    { placeholderData: (before) => before },
  )
  return (
    <Paper component="section" aria-labelledby={titleId}>
      <CardHeader title={t('activity.Title')} id={titleId}>
        <RetentionNote />
      </CardHeader>
      <Box px="md" py="sm">
        <ActivityFilters subject="server" filter={filter} onFilter={setFilter} />
      </Box>
      <Divider />
      <ActivityList
        list={list}
        isFiltered={!isUnfiltered(filter)}
        onClear={() => setFilter(noFilter)}
        onPage={(page) => setFilter({ ...filter, page })}
      />
    </Paper>
  )
}
