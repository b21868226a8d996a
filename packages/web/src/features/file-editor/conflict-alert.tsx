import { Button, Group, Modal } from '@mantine/core'
import { Suspense, useState } from 'react'
import { useT } from '../../i18n/i18n.tsx'
import { Alert } from '../../ui/alert.tsx'
import { lazyView } from '../../ui/lazy-view.tsx'
import { EditorSkeleton } from './loading-body.tsx'
import type { TextFile } from './text-file.ts'
import type { LoadedFile } from './use-file.ts'

const CompareView = lazyView(async () => (await import('../compare/compare-view.tsx')).CompareView)

/** The version on the server; without a file if it was deleted. */
export interface RemoteVersion {
  readonly file: LoadedFile | undefined
  /** The former content that was to be restored; otherwise the text of the editor was to be saved. */
  readonly restored?: TextFile | undefined
}

interface ConflictAlertProps {
  readonly name: string
  readonly remote: RemoteVersion
  readonly getLocalLines: () => readonly string[]
  readonly isSaving: boolean
  readonly onOverwrite: () => void
  readonly onReload: (file: LoadedFile) => void
  readonly onKeepEditing: () => void
}

/** Another user changed or deleted the file: compare, reload, overwrite or keep editing. */
export function ConflictAlert(props: ConflictAlertProps) {
  const { name, remote, getLocalLines, isSaving, onOverwrite, onReload, onKeepEditing } = props
  const t = useT()
  /** The local lines in the comparison; `undefined` while it is closed. */
  const [comparedLines, setComparedLines] = useState<readonly string[]>()
  const { file } = remote
  const actions = (
    <>
      {file && (
        <Button size="xs" variant="default" onClick={() => onReload(file)}>
          {t('file-editor.ReloadTheirs')}
        </Button>
      )}
      <Button size="xs" variant="default" loading={isSaving} onClick={onOverwrite}>
        {t(file ? 'common.Overwrite' : 'file-editor.SaveAgain')}
      </Button>
      <Button size="xs" variant="subtle" onClick={onKeepEditing}>
        {t('common.KeepEditing')}
      </Button>
    </>
  )
  return (
    <>
      <Alert
        type="warning"
        urgent
        action={
          <Group gap="xs">
            {file && (
              <Button size="xs" variant="default" onClick={() => setComparedLines(getLocalLines())}>
                {t('common.Compare')}
              </Button>
            )}
            {actions}
          </Group>
        }
      >
        {t(file ? 'file-editor.ChangedByOther' : 'file-editor.DeletedByOther')}
      </Alert>
      <Modal
        opened={comparedLines !== undefined}
        onClose={() => setComparedLines(undefined)}
        title={t('common.CompareOf', { name })}
        variant="phone-full-screen"
        size="min(90rem, calc(100vw - 60px))"
      >
        {comparedLines !== undefined && file && (
          <Suspense fallback={<EditorSkeleton />}>
            <CompareView theirs={file.lines} mine={comparedLines} name={name} />
          </Suspense>
        )}
        <Group gap="xs" mt="lg">
          {actions}
        </Group>
      </Modal>
    </>
  )
}
