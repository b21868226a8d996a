import { Button, Modal } from '@mantine/core'
import { Suspense, useState } from 'react'
import { useText } from '../../i18n/text.tsx'
import { lazyView } from '../../ui/lazy-view.tsx'
import { Notice } from '../../ui/notice.tsx'
import { useIsPhone } from '../../ui/page.tsx'
import classes from './file-editor.module.css'
import { LinesToCome } from './loading-body.tsx'
import type { ReadFile } from './use-file.ts'

const CompareView = lazyView(async () => (await import('./compare-view.tsx')).CompareView)

/** What is on the server now; no file when it was deleted. */
export interface Theirs {
  readonly file: ReadFile | undefined
}

interface ConflictNoticeProps {
  readonly name: string
  readonly theirs: Theirs
  readonly mine: () => readonly string[]
  readonly isSaving: boolean
  readonly onOverwrite: () => void
  readonly onReload: (file: ReadFile) => void
  readonly onKeep: () => void
}

/** Says that the file is not the one that was opened any more, and leaves the choice to the person. */
export function ConflictNotice({ name, theirs, mine, isSaving, onOverwrite, onReload, onKeep }: ConflictNoticeProps) {
  const text = useText()
  const isPhone = useIsPhone()
  const [compared, setCompared] = useState<readonly string[]>()
  const { file } = theirs
  const choices = (
    <>
      {file && (
        <Button size="xs" variant="default" onClick={() => onReload(file)}>
          {text('file-editor.ReloadTheirs')}
        </Button>
      )}
      <Button size="xs" variant="default" loading={isSaving} onClick={onOverwrite}>
        {text(file ? 'file-editor.Overwrite' : 'file-editor.SaveAgain')}
      </Button>
      <Button size="xs" variant="subtle" color="gray" onClick={onKeep}>
        {text('file-editor.KeepEditing')}
      </Button>
    </>
  )
  return (
    <>
      <Notice
        kind="warning"
        urgent
        action={
          <div className={classes.choices}>
            {file && (
              <Button size="xs" variant="default" onClick={() => setCompared(mine())}>
                {text('file-editor.Compare')}
              </Button>
            )}
            {choices}
          </div>
        }
      >
        {text(file ? 'file-editor.Stale' : 'file-editor.Gone')}
      </Notice>
      <Modal
        opened={compared !== undefined}
        onClose={() => setCompared(undefined)}
        title={text('file-editor.CompareOf', { name })}
        fullScreen={isPhone}
        size="min(90rem, calc(100vw - 60px))"
        closeButtonProps={{ 'aria-label': text('common.Close') }}
      >
        {compared !== undefined && file && (
          <Suspense fallback={<LinesToCome />}>
            <CompareView theirs={file.lines} mine={compared} name={name} isSideBySide={!isPhone} />
          </Suspense>
        )}
        <div className={classes.buttons}>{choices}</div>
      </Modal>
    </>
  )
}
