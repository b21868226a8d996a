import { limits } from '@innkeeper/contract/limits'
import { Skeleton } from '@mantine/core'
import { IconFileAlert } from '@tabler/icons-react'
import { isRefusal } from '../../api/request.ts'
import { useFormatters, useT } from '../../i18n/i18n.tsx'
import { EmptyState, QueryError } from '../../ui/empty-state.tsx'
import { useDelayed } from '../../ui/use-delayed.ts'
import { EditorHead } from './editor-head.tsx'
import classes from './file-editor.module.css'
import type { Opening } from './use-file.ts'

interface LoadingBodyProps {
  readonly path: string
  readonly opening: Opening
  readonly onAgain: () => void
  readonly onClose: () => void
}

/** The overlay while the file is on its way, or when it could not be had. */
export function LoadingBody({ path, opening, onAgain, onClose }: LoadingBodyProps) {
  const t = useT()
  const { bytes } = useFormatters()
  return (
    <>
      <EditorHead path={path} onClose={onClose} />
      {opening.is === 'failed' ? (
        <div className={classes.failed}>
          {isRefusal(opening.error, 'ErrBodyTooLarge') ? (
            <EmptyState
              icon={<IconFileAlert size={24} aria-hidden />}
              title={t('file-editor.TooLargeToOpen', { max: bytes(limits.editableFileBytes) })}
            />
          ) : (
            <QueryError title={t('file-editor.FailedLoading')} error={opening.error} retry={onAgain} />
          )}
        </div>
      ) : (
        <LinesToCome />
      )}
    </>
  )
}

/** Where lines will be; blank for the first moment. */
export function LinesToCome() {
  const isLate = useDelayed(true)
  return (
    <div className={classes.skeleton} aria-busy="true">
      {isLate && ['40%', '25%', '60%', '35%', '50%'].map((width) => <Skeleton key={width} height={10} width={width} />)}
    </div>
  )
}
