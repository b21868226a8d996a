import { Paper } from '@mantine/core'
import type { UseQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { QueryError } from './empty-state.tsx'
import { useDelayed } from './use-delayed.ts'

interface QueryStateProps<T> {
  readonly query: Pick<UseQueryResult<T>, 'data' | 'error' | 'isPending'> & { readonly refetch: () => unknown }
  /** "Could not load the nodes". */
  readonly errorTitle: string
  /** Shown when loading takes longer than 150 ms. */
  readonly skeleton: ReactNode
  readonly isEmpty?: (data: T) => boolean
  /** Shown instead of the children when `isEmpty` returns true. */
  readonly empty?: ReactNode
  /** Shows error and empty state in a card, for data that has cards of its own. */
  readonly inCard?: boolean
  readonly children: (data: T) => ReactNode
}

/** Renders the data of a query, or its loading, error or empty state. */
export function QueryState<T>({
  query,
  errorTitle,
  skeleton,
  isEmpty,
  empty,
  inCard = false,
  children,
}: QueryStateProps<T>) {
  const { data, error, isPending, refetch } = query
  const isSlow = useDelayed(isPending)
  const inPaper = (content: ReactNode) => (inCard ? <Paper>{content}</Paper> : content)
  if (data !== undefined) return isEmpty?.(data) ? inPaper(empty) : children(data)
  if (error) return inPaper(<QueryError title={errorTitle} error={error} retry={() => void refetch()} />)
  return isSlow ? skeleton : null
}
