import { Group, SegmentedControl, Text } from '@mantine/core'
import { type TranslationKey, useT } from '../../i18n/i18n.tsx'
import { useFormatters } from '../../i18n/use-formatters.ts'
import { StatusIcon } from '../../ui/feedback/status.tsx'
import { type StatusFilterValue, statusFilters } from './list/list-filter.ts'
import classes from './status-filter.module.css'

const labels: Readonly<Record<StatusFilterValue, TranslationKey>> = {
  all: 'servers.All',
  online: 'status.online',
  notResponding: 'status.notResponding',
  busy: 'servers.Busy',
  offline: 'status.offline',
  crashed: 'status.crashed',
  suspended: 'status.suspended',
  unknown: 'status.unknown',
}

/** Most panels have no such servers, and the other options need the room. */
const rare: readonly StatusFilterValue[] = ['notResponding', 'suspended']

interface StatusFilterProps {
  readonly value: StatusFilterValue
  /** How many servers match each option. */
  readonly counts: Readonly<Record<StatusFilterValue, number>>
  readonly onChange: (status: StatusFilterValue) => void
}

/** Filters by status: a segmented control, on a phone a row of chips that scrolls sideways. */
export function StatusFilter({ value, counts, onChange }: StatusFilterProps) {
  const t = useT()
  const { number } = useFormatters()
  const shown = statusFilters.filter((status) => !rare.includes(status) || value === status || counts[status] > 0)
  return (
    <SegmentedControl
      aria-label={t('common.StatusFilter')}
      withItemsBorders={false}
      classNames={{ root: classes.root, indicator: classes.indicator, control: classes.control, label: classes.label }}
      value={value}
      onChange={(status) => onChange(status)}
      data={shown.map((status) => ({
        value: status,
        label: (
          <Group component="span" gap="xs" wrap="nowrap">
            {status !== 'all' && <StatusIcon state={status === 'busy' ? 'starting' : status} size={10} />}
            {t(labels[status])}
            <Text span inherit c="dimmed">
              {number(counts[status])}
            </Text>
          </Group>
        ),
      }))}
    />
  )
}
