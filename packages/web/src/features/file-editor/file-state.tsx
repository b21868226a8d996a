import { limits } from '@innkeeper/contract/text/limits'
import { Skeleton, Stack } from '@mantine/core'
import { IconFileAlert } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { isRefusal } from '../../api/request.ts'
import { useT } from '../../i18n/i18n.tsx'
import { useFormatters } from '../../i18n/use-formatters.ts'
import { EmptyState } from '../../ui/feedback/empty-state.tsx'
import { QueryState, type QueryStateProps } from '../../ui/loading/query-state.tsx'
import { useDelayed } from '../../ui/loading/use-delayed.ts'

interface FileStateProps<T> {
  readonly query: QueryStateProps<T>['query']
  readonly children: (file: T) => ReactNode
}

/** The content of a file, or why there is none. */
export function FileState<T>({ query, children }: FileStateProps<T>) {
  const t = useT()
  const { fileSize } = useFormatters()
  return (
    <QueryState
      query={query}
      errorTitle={t('file-editor.LoadingFailed')}
      renderError={(error) =>
        isRefusal(error, 'ErrBodyTooLarge') && (
          <EmptyState
            icon={IconFileAlert}
            title={t('file-editor.TooLargeToOpen', { max: fileSize(limits.editableFileBytes) })}
          />
        )
      }
      skeleton={<EditorSkeleton isDelayed={false} />}
    >
      {children}
    </QueryState>
  )
}

/** The place of the code while it is loading. */
export function EditorSkeleton({ isDelayed = true }: { isDelayed?: boolean }) {
  const isLate = useDelayed(isDelayed) || !isDelayed
  return (
    <Stack flex={1} gap="sm" px="3xl" py="md" aria-busy="true">
      {isLate && ['40%', '25%', '60%', '35%', '50%'].map((width) => <Skeleton key={width} height={10} width={width} />)}
    </Stack>
  )
}
