import { Box, Button, Paper, Skeleton, type SkeletonProps, Text } from '@mantine/core'
import { IconAlertTriangle, IconRefresh } from '@tabler/icons-react'
import type { UseQueryResult } from '@tanstack/react-query'
import { type ReactNode, Suspense, use } from 'react'
import { isPanelUnreachable, isRefusal } from '../../api/request.ts'
import { useT } from '../../i18n/i18n.tsx'
import { useFormatters } from '../../i18n/use-formatters.ts'
import { Alert } from '../feedback/alert.tsx'
import { EmptyState } from '../feedback/empty-state.tsx'
import { ErrorDetailsContext, errorMessage, hasMessage, statusText } from '../text/error-message.ts'
import { lazyView } from './lazy-view.tsx'
import { useDelayed } from './use-delayed.ts'

const MissingPermission = lazyView(async () => (await import('../feedback/no-permission.tsx')).MissingPermission)

/** The result of a query, or of two as one: see `combineQueries`. */
type Query<T> = Pick<UseQueryResult<T>, 'data' | 'dataUpdatedAt' | 'error' | 'isPending'> & {
  readonly refetch: () => unknown
}

export interface QueryStateProps<T> {
  readonly query: Query<T>
  /** "Could not load the nodes". */
  readonly errorTitle: string
  /** Shown instead of the error, unless it returns nothing. */
  readonly renderError?: (error: unknown) => ReactNode
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
  renderError,
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
        {isEmpty?.(data) ? empty && inPaper(empty) : children(data)}
      </>
    )
  }
  if (error) {
    return inPaper(renderError?.(error) || <QueryError title={errorTitle} error={error} retry={() => void refetch()} />)
  }
  return isSlow ? skeleton : null
}

function LoadingBar(props: SkeletonProps) {
  const t = useT()
  return <Skeleton role="status" aria-label={t('common.Loading')} {...props} />
}

/** The error, a retry button and the details. */
function QueryError({ title, error, retry }: { title: string; error: unknown; retry: () => void }) {
  const t = useT()
  const showDetails = use(ErrorDetailsContext)
  if (isRefusal(error, 'ErrMissingScope')) {
    return (
      <Suspense fallback={null}>
        <MissingPermission scope={error.metadata.scope} />
      </Suspense>
    )
  }
  return (
    <EmptyState
      isError
      icon={IconAlertTriangle}
      title={title}
      actions={
        <>
          <Button variant="default" leftSection={<IconRefresh size={17} aria-hidden />} onClick={retry}>
            {t('common.TryAgain')}
          </Button>
          <Button variant="subtle" onClick={() => showDetails(error, retry)}>
            {t('common.Details')}
          </Button>
        </>
      }
    >
      {(!hasMessage(error) && statusText(t, error)) || errorMessage(t, error)}
    </EmptyState>
  )
}

/** Warns that the data of a query could not be refreshed, and offers to retry. */
function StaleData({ query, inCard }: { query: Query<unknown>; inCard: boolean }) {
  const t = useT()
  const { dateTime } = useFormatters()
  const { error, dataUpdatedAt, refetch } = query
  // The shell shows by itself that the panel is unreachable.
  if (error === null || isPanelUnreachable(error)) return null
  return (
    <Box p={inCard ? 0 : 'sm'}>
      <Alert
        type="warning"
        role="status"
        action={
          <Button size="xs" variant="default" onClick={() => void refetch()}>
            {t('common.TryAgain')}
          </Button>
        }
      >
        {t('common.NotRefreshed', { time: dateTime(dataUpdatedAt) })}
        {hasMessage(error) && <Text variant="note">{errorMessage(t, error)}</Text>}
      </Alert>
    </Box>
  )
}
