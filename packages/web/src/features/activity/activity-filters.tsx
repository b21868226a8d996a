import { activityResults } from '@innkeeper/contract/activity/activity'
import { auditActions } from '@innkeeper/contract/api/audit-actions'
import { Button, Flex, Group, NativeSelect, Text } from '@mantine/core'
import { useDebouncedCallback } from '@mantine/hooks'
import { IconX } from '@tabler/icons-react'
import { type ReactNode, useEffect, useState } from 'react'
import { findText, useT } from '../../i18n/i18n.tsx'
import { DateInput } from '../../ui/fields/date-input.tsx'
import { SearchInput } from '../../ui/fields/search-input.tsx'
import { type ActivityFilter, isUnfiltered, noFilter } from './filter.ts'
import { getActionLabel, getSubject, subjects } from './messages.ts'

const debounceMs = 300

/** Props of a select of the filter bar: two share a row on a phone. */
export const filterSelectProps = {
  className: 'ik-soft',
  flex: { base: '1 1 40%', sm: '1 1 10rem' },
  maw: { sm: '14rem' },
} as const

interface ActivityFiltersProps {
  readonly filter: ActivityFilter
  readonly onFilter: (filter: ActivityFilter) => void
  /** Offers the actions of this subject only. */
  readonly subject?: string
  /** More filters. */
  readonly children?: ReactNode
}

/** The filter bar of an activity list. Every change goes back to the first page. */
export function ActivityFilters({ filter, onFilter, subject, children }: ActivityFiltersProps) {
  const t = useT()
  const set = (changes: Partial<ActivityFilter>) => onFilter({ ...filter, ...changes, page: 1 })
  const [user, setUser] = useState(filter.user)
  const applyUser = useDebouncedCallback((name: string) => set({ user: name }), debounceMs)
  useEffect(() => setUser(filter.user), [filter.user])

  const visibleSubjects = subject === undefined ? subjects : [subject]
  const actionGroups = visibleSubjects.map((group) => {
    const label = findText(t, `activity.Subject_${group}`) ?? group
    const items = auditActions
      .filter((action) => getSubject(action) === group)
      .map((action) => ({ value: action, label: getActionLabel(t, action) }))
    const all = { value: `${group}.*`, label: t('activity.AllOf', { subject: label }) }
    return { group: label, items: items.length > 1 && subject === undefined ? [all, ...items] : items }
  })
  return (
    <Flex component="search" wrap="wrap" align="center" gap="sm" aria-label={t('activity.Filter')}>
      <SearchInput
        flex={{ base: '1 1 100%', sm: '1 1 10rem' }}
        maw={{ sm: '14rem' }}
        label={t('common.Username')}
        value={user}
        onChange={(name) => {
          setUser(name)
          applyUser(name)
        }}
      />
      <NativeSelect
        {...filterSelectProps}
        aria-label={t('activity.FilterAction')}
        value={filter.action}
        data={[{ value: '', label: t('activity.AnyAction') }, ...actionGroups]}
        onChange={(event) => set({ action: event.currentTarget.value })}
      />
      <NativeSelect
        {...filterSelectProps}
        aria-label={t('activity.FilterResult')}
        value={filter.result}
        data={[
          { value: '', label: t('activity.AnyResult') },
          { value: 'done', label: t('activity.Done') },
          { value: 'refused', label: t('activity.Refused') },
          { value: 'failed', label: t('activity.Failed') },
        ]}
        onChange={(event) => {
          const { value } = event.currentTarget
          set({ result: activityResults.find((result) => result === value) ?? '' })
        }}
      />
      {children}
      <Group gap="xs" wrap="nowrap" flex={{ base: '1 1 100%', sm: 'initial' }} miw={0}>
        <DateInput
          label={t('activity.FilterFrom')}
          value={filter.from}
          max={filter.to}
          onChange={(from) => set({ from })}
        />
        <Text span c="var(--ik-subtle)" aria-hidden>
          –
        </Text>
        <DateInput label={t('activity.FilterTo')} value={filter.to} min={filter.from} onChange={(to) => set({ to })} />
      </Group>
      {!isUnfiltered(filter) && (
        <Button
          variant="subtle"
          size="xs"
          leftSection={<IconX size={15} aria-hidden />}
          onClick={() => onFilter(noFilter)}
        >
          {t('common.ClearFilter')}
        </Button>
      )}
    </Flex>
  )
}
