import { Skeleton } from '@mantine/core'
import { useT } from '../../i18n/i18n.tsx'
import classes from './servers-screen.module.css'

const widths = [
  [140, 120],
  [110, 150],
  [160, 110],
  [120, 130],
  [100, 140],
  [130, 120],
] as const

/** The list before it is known, in its final measures. */
export function TableSkeleton() {
  const t = useT()
  return (
    <div role="status" aria-label={t('common.Loading')}>
      {widths.map(([name, address]) => (
        <div key={`${name}${address}`} className={classes.skeleton}>
          <Skeleton w={12} h={12} circle />
          <Skeleton w={name} h={12} />
          <Skeleton w={address} h={12} />
          <span className={classes.space} />
          <Skeleton w={56} h={12} />
        </div>
      ))}
    </div>
  )
}
