import { Box, Button, Paper, Skeleton, type SkeletonProps } from '@mantine/core'
import type { UseQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { isPanelUnreachable } from '../api/request-details.ts'
import { useFormatters, useT } from '../i18n/i18n.tsx'
import { Alert } from './alert.tsx'
import { QueryError } from './empty-state.tsx'
import { useDelayed } from './use-delayed.ts'

type RefetchableQuery<T> = Pick<UseQueryResult<T>, 'data' | 'dataUpdatedAt' | 'error'> & {
  readonly refetch: () => unknown
}

interface QueryStateProps<T> {
  readonly query: RefetchableQuery<T> & Pick<UseQueryResult<T>, 'isPending'>
  /** "Could not load the nodes". */
  readonly errorTitle: string
  /** Shown when loading takes longer than 150 ms: a bar of this height, or a skeleton of its own. */
  readonly skeletonHeight?: number | string
  readonly skeleton?: ReactNode
  readonly isEmpty?: (data: T) => boolean
  /** Shown instead of the children when `isEmpty` returns true. */
  readonly empty?: ReactNode
  /** Shows error and empty state in a card, for data that has cards of its own. */
  readonly inCard?: boolean
  readonly children: (data: T) => ReactNode
}

/** Renders the data of a query with a warning if it is out of date, or its loading, error or empty state. */
export function QueryState<T>({
  query,
  errorTitle,
  inCard = false,
  skeletonHeight = inCard ? 180 : 56,
  skeleton = <LoadingBar h={skeletonHeight} {...(inCard ? { radius: 'lg' } : { m: 'md', w: 'auto' })} />,
  isEmpty,
  empty,
  children,
}: QueryStateProps<T>) {
  const { data, error, isPending, refetch } = query
  const isSlow = useDelayed(isPending)
  const inPaper = (content: ReactNode) => (inCard ? <Paper>{content}</Paper> : content)
  if (data !== undefined) {
    return (
      <>
        <StaleData query={query} inCard={inCard} />
        {isEmpty?.(data) ? inPaper(empty) : children(data)}
      </>
    )
  }
  if (error) return inPaper(<QueryError title={errorTitle} error={error} retry={() => void refetch()} />)
  return isSlow ? skeleton : null
}

function LoadingBar(props: SkeletonProps) {
  const t = useT()
  return <Skeleton role="status" aria-label={t('common.Loading')} {...props} />
}

interface StaleDataProps {
  readonly query: RefetchableQuery<unknown>
  /** The data has cards of its own. */
  readonly inCard?: boolean
}

/** Warns that the data of a query could not be refreshed, and offers to retry. */
export function StaleData({ query: { data, dataUpdatedAt, error, refetch }, inCard = false }: StaleDataProps) {
  const t = useT()
  const { dateTime } = useFormatters()
  // The shell shows by itself that the panel is unreachable.
  if (data === undefined || error === null || isPanelUnreachable(error)) return null
  return (
    <Box p={inCard ? 0 : 'sm'}>
      <Alert
        type="warning"
        action={
          <Button size="xs" variant="default" onClick={() => void refetch()}>
            {t('common.TryAgain')}
          </Button>
        }
      >
        {t('common.NotRefreshed', { time: dateTime(dataUpdatedAt) })}
      </Alert>
    </Box>
  )
}
