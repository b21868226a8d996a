import { limits } from '@innkeeper/contract/limits'
import { Center, Skeleton, Stack } from '@mantine/core'
import { IconFileAlert } from '@tabler/icons-react'
import { isRefusal } from '../../api/request.ts'
import { useFormatters, useT } from '../../i18n/i18n.tsx'
import { EmptyState, QueryError } from '../../ui/empty-state.tsx'
import { useDelayed } from '../../ui/use-delayed.ts'
import { EditorHead } from './editor-head.tsx'

interface LoadingBodyProps {
  readonly path: string
  /** Why loading failed; `null` while it is loading. */
  readonly error: unknown
  readonly onRetry: () => void
  readonly onClose: () => void
}

/** The overlay while the file is loading, or when that failed. */
export function LoadingBody({ path, error, onRetry, onClose }: LoadingBodyProps) {
  return (
    <>
      <EditorHead path={path} onClose={onClose} />
      {error ? (
        <Center flex={1}>
          <LoadError error={error} onRetry={onRetry} />
        </Center>
      ) : (
        <EditorSkeleton />
      )}
    </>
  )
}

/** Why a file could not be loaded. */
export function LoadError({ error, onRetry }: Pick<LoadingBodyProps, 'error' | 'onRetry'>) {
  const t = useT()
  const { fileSize } = useFormatters()
  return isRefusal(error, 'ErrBodyTooLarge') ? (
    <EmptyState
      icon={IconFileAlert}
      title={t('file-editor.TooLargeToOpen', { max: fileSize(limits.editableFileBytes) })}
    />
  ) : (
    <QueryError title={t('file-editor.LoadingFailed')} error={error} retry={onRetry} />
  )
}

/** The place of the code while it is loading. */
export function EditorSkeleton() {
  const isLate = useDelayed(true)
  return (
    <Stack flex={1} gap="sm" px={56} py="md" aria-busy="true">
      {isLate && ['40%', '25%', '60%', '35%', '50%'].map((width) => <Skeleton key={width} height={10} width={width} />)}
    </Stack>
  )
}
