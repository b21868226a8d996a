import { Box, Group, Skeleton } from '@mantine/core'
import { useT } from '../../i18n/i18n.tsx'
import classes from '../../ui/layout/row-list.module.css'

/** Widths of name and address. */
const rows = [
  [140, 120],
  [110, 150],
  [160, 110],
  [120, 130],
  [100, 140],
  [130, 120],
] as const

export function TableSkeleton() {
  const t = useT()
  return (
    <div role="status" aria-label={t('common.Loading')}>
      {rows.map(([name, address]) => (
        <Group key={name} className={classes.row} gap="sm" h="3.25rem" px="md" wrap="nowrap">
          <Skeleton w={12} h={12} circle />
          <Skeleton w={name} h={12} />
          <Skeleton w={address} h={12} />
          <Box flex={1} />
          <Skeleton w={56} h={12} />
        </Group>
      ))}
    </div>
  )
}
