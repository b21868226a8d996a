import { Button, Stack } from '@mantine/core'
import { useState } from 'react'
import { useT } from '../../i18n/i18n.tsx'
import { Alert } from '../../ui/alert.tsx'
import { ErrorAlert } from '../../ui/error-alert.tsx'
import { ConflictAlert } from './conflict-alert.tsx'
import classes from './file-editor.module.css'
import type { FileSaving } from './use-save-file.ts'

interface EditorNoticesProps {
  readonly name: string
  readonly isBinary: boolean
  /** The editor opened with the draft of a lost session. */
  readonly hasDraft: boolean
  readonly saving: FileSaving
  readonly getLocalLines: () => readonly string[]
}

/** What the user should know before they go on editing; nothing when there is nothing. */
export function EditorNotices({ name, isBinary, hasDraft, saving, getLocalLines }: EditorNoticesProps) {
  const t = useT()
  const [isDraftShown, setIsDraftShown] = useState(hasDraft)
  const { failure, remote, isSaving, overwriteRemote, acceptRemote, dismissRemote } = saving
  if (!isBinary && !isDraftShown && !failure && !remote) return null
  return (
    <Stack className={classes.bar} gap="xs" p="xs">
      {isBinary && <Alert type="warning">{t('file-editor.Binary')}</Alert>}
      {isDraftShown && (
        <Alert
          type="info"
          action={
            <Button size="xs" variant="subtle" onClick={() => setIsDraftShown(false)}>
              {t('common.Close')}
            </Button>
          }
        >
          {t('file-editor.DraftRestored')}
        </Alert>
      )}
      {failure && (
        <ErrorAlert error={failure.error} message={t('file-editor.SavingFailed', { reason: failure.reason })} />
      )}
      {remote && (
        <ConflictAlert
          name={name}
          remote={remote}
          getLocalLines={() => remote.restored?.lines ?? getLocalLines()}
          isSaving={isSaving}
          onOverwrite={() => void overwriteRemote(remote)}
          onReload={acceptRemote}
          onKeepEditing={dismissRemote}
        />
      )}
    </Stack>
  )
}
