import { activityResults } from '@innkeeper/contract/activity'
import { Button, NativeSelect, TextInput } from '@mantine/core'
import { useDebouncedCallback } from '@mantine/hooks'
import { IconSearch, IconX } from '@tabler/icons-react'
import { type ReactNode, useEffect, useState } from 'react'
import { useT } from '../../i18n/i18n.tsx'
import classes from './activity.module.css'
import { type ActivityFilter, isWhole, wholeActivity } from './filter.ts'
import { actions, nameOfAction, subjectOf, subjects } from './words.ts'

/** How long somebody may pause while typing a name. */
const typingMs = 300

interface ActivityFiltersProps {
  readonly filter: ActivityFilter
  readonly onFilter: (filter: ActivityFilter) => void
  /** Only actions about this: a server's list has no others. */
  readonly subject?: string
  /** A further choice. */
  readonly children?: ReactNode
}

/** Narrows the activity down. Every change begins at the first page. */
export function ActivityFilters({ filter, onFilter, subject, children }: ActivityFiltersProps) {
  const t = useT()
  const [user, setUser] = useState(filter.user)
  const set = (change: Partial<ActivityFilter>) => onFilter({ ...filter, ...change, page: 1 })
  const seek = useDebouncedCallback((name: string) => set({ user: name }), typingMs)
  useEffect(() => setUser(filter.user), [filter.user])

  const shown = subject === undefined ? subjects : [subject]
  const groups = shown.map((one) => {
    const own = actions.filter((action) => subjectOf(action) === one)
    const each = own.map((action) => ({ value: action, label: nameOfAction(t, action) }))
    const all = { value: `${one}.*`, label: t('activity.AllOf', { subject: t(`activity.Subject_${one}`) }) }
    return {
      group: t(`activity.Subject_${one}`),
      items: own.length > 1 && subject === undefined ? [all, ...each] : each,
    }
  })
  return (
    <search className={classes.filters} aria-label={t('activity.Filter')}>
      <TextInput
        className={`ik-soft ${classes.who}`}
        type="search"
        aria-label={t('activity.FilterUser')}
        placeholder={t('activity.FilterUser')}
        leftSection={<IconSearch size={15} aria-hidden />}
        value={user}
        onChange={(event) => {
          setUser(event.currentTarget.value)
          seek(event.currentTarget.value)
        }}
      />
      <NativeSelect
        className={`ik-soft ${classes.choice}`}
        aria-label={t('activity.FilterAction')}
        value={filter.action}
        data={[{ value: '', label: t('activity.AnyAction') }, ...groups]}
        onChange={(event) => set({ action: event.currentTarget.value })}
      />
      <NativeSelect
        className={`ik-soft ${classes.choice}`}
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
      <span className={classes.days}>
        <TextInput
          className="ik-soft"
          type="date"
          aria-label={t('activity.FilterFrom')}
          data-tip={t('activity.FilterFrom')}
          max={filter.to || undefined}
          value={filter.from}
          onChange={(event) => set({ from: event.currentTarget.value })}
        />
        <span aria-hidden>–</span>
        <TextInput
          className="ik-soft"
          type="date"
          aria-label={t('activity.FilterTo')}
          data-tip={t('activity.FilterTo')}
          min={filter.from || undefined}
          value={filter.to}
          onChange={(event) => set({ to: event.currentTarget.value })}
        />
      </span>
      {!isWhole(filter) && (
        <Button
          variant="subtle"
          color="gray"
          size="xs"
          leftSection={<IconX size={15} aria-hidden />}
          onClick={() => onFilter(wholeActivity)}
        >
          {t('activity.ClearFilter')}
        </Button>
      )}
    </search>
  )
}
