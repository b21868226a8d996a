import { Button, Modal } from '@mantine/core'
import { Suspense, useState } from 'react'
import { useT } from '../../i18n/i18n.tsx'
import { Alert } from '../../ui/alert.tsx'
import { lazyView } from '../../ui/lazy-view.tsx'
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
  const t = useT()
  const isPhone = useIsPhone()
  const [compared, setCompared] = useState<readonly string[]>()
  const { file } = theirs
  const choices = (
    <>
      {file && (
        <Button size="xs" variant="default" onClick={() => onReload(file)}>
          {t('file-editor.ReloadTheirs')}
        </Button>
      )}
      <Button size="xs" variant="default" loading={isSaving} onClick={onOverwrite}>
        {t(file ? 'file-editor.Overwrite' : 'file-editor.SaveAgain')}
      </Button>
      <Button size="xs" variant="subtle" color="gray" onClick={onKeep}>
        {t('file-editor.KeepEditing')}
      </Button>
    </>
  )
  return (
    <>
      <Alert
        type="warning"
        urgent
        action={
          <div className={classes.choices}>
            {file && (
              <Button size="xs" variant="default" onClick={() => setCompared(mine())}>
                {t('file-editor.Compare')}
              </Button>
            )}
            {choices}
          </div>
        }
      >
        {t(file ? 'file-editor.Stale' : 'file-editor.Gone')}
      </Alert>
      <Modal
        opened={compared !== undefined}
        onClose={() => setCompared(undefined)}
        title={t('file-editor.CompareOf', { name })}
        fullScreen={isPhone}
        size="min(90rem, calc(100vw - 60px))"
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
