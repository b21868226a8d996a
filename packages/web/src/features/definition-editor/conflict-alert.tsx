import { Button, Group, Modal } from '@mantine/core'
import { Suspense, useState } from 'react'
import { useT } from '../../i18n/i18n.tsx'
import { Alert } from '../../ui/alert.tsx'
import { lazyView } from '../../ui/lazy-view.tsx'
import { useShowError } from '../../ui/toast.tsx'
import { formatJson } from './json-path.ts'
import type { Editor } from './use-editor.ts'
import type { WithVersion } from './versioned-editor.tsx'

const CompareView = lazyView(async () => (await import('../compare/compare-view.tsx')).CompareView)

interface ConflictAlertProps {
  readonly editor: Editor
  /** The name of the template or server. */
  readonly name: string
  /** Who saved another version, if known. */
  readonly user: string | undefined
  readonly load: () => Promise<WithVersion>
  readonly isSaving: boolean
  readonly onReload: () => void
  readonly onOverwrite: () => void
}

/** Another user saved the definition first: compare both versions, load theirs, or overwrite it. */
export function ConflictAlert({ editor, name, user, load, isSaving, onReload, onOverwrite }: ConflictAlertProps) {
  const t = useT()
  const showError = useShowError()
  /** Their definition in the comparison; `undefined` while it is closed. */
  const [theirs, setTheirs] = useState<string>()
  const { mode, json, current, base } = editor
  const mine = mode === 'json' ? json : formatJson(current ?? base)
  const compare = async () => {
    try {
      setTheirs(formatJson((await load()).raw))
    } catch (error) {
      showError(error)
    }
  }
  return (
    <>
      <Alert
        type="warning"
        urgent
        action={
          <Group gap="xs">
            <Button size="xs" variant="default" onClick={() => void compare()}>
              {t('common.Compare')}
            </Button>
            <Button size="xs" variant="default" onClick={onReload}>
              {t('definition.LoadTheirs')}
            </Button>
            <Button size="xs" variant="default" loading={isSaving} onClick={onOverwrite}>
              {t('common.Overwrite')}
            </Button>
          </Group>
        }
      >
        {user === undefined ? t('definition.Conflict') : t('definition.ConflictWith', { user })}
      </Alert>
      <Modal
        opened={theirs !== undefined}
        onClose={() => setTheirs(undefined)}
        title={t('common.CompareOf', { name })}
        variant="phone-full-screen"
        size="min(80rem, calc(100vw - 60px))"
      >
        {theirs !== undefined && (
          <Suspense>
            <CompareView theirs={theirs.split('\n')} mine={mine.split('\n')} name={`${name}.json`} />
          </Suspense>
        )}
      </Modal>
    </>
  )
}
