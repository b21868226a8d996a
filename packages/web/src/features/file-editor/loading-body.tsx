import { limits } from '@innkeeper/contract/limits'
import { Skeleton } from '@mantine/core'
import { IconFileAlert } from '@tabler/icons-react'
import { isRefusal } from '../../api/request.ts'
import { useFormats, useText } from '../../i18n/text.tsx'
import { EmptyState, LoadFailure } from '../../ui/empty-state.tsx'
import { useIsLate } from '../../ui/use-late.ts'
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
  const text = useText()
  const { bytes } = useFormats()
  return (
    <>
      <EditorHead path={path} onClose={onClose} />
      {opening.is === 'failed' ? (
        <div className={classes.failed}>
          {isRefusal(opening.error, 'ErrBodyTooLarge') ? (
            <EmptyState
              icon={<IconFileAlert size={24} stroke={1.6} aria-hidden />}
              title={text('file-editor.TooLargeToOpen', { max: bytes(limits.editableFileBytes) })}
            />
          ) : (
            <LoadFailure title={text('file-editor.FailedLoading')} error={opening.error} again={onAgain} />
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
  const isLate = useIsLate(true)
  return (
    <div className={classes.skeleton} aria-busy="true">
      {isLate && ['40%', '25%', '60%', '35%', '50%'].map((width) => <Skeleton key={width} height={10} width={width} />)}
    </div>
  )
}
