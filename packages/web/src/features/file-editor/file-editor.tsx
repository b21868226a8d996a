import { Modal } from '@mantine/core'
import { useState } from 'react'
import { useT } from '../../i18n/i18n.tsx'
import { useSession } from '../../session/session.tsx'
import { useIsPhone } from '../../ui/page.tsx'
import { useReturnFocus } from '../../ui/use-return-focus.ts'
import { EditorBody } from './editor-body.tsx'
import classes from './file-editor.module.css'
import { LoadingBody } from './loading-body.tsx'
import { useFile } from './use-file.ts'

export interface FileEditorProps {
  /** The id of the server. */
  readonly server: string
  /** From the server's folder: `plugins/LandClaim/config.yml`. */
  readonly path: string
  /** Whether the person may save (putServerFiles); otherwise the editor shows and does not change. */
  readonly canWrite: boolean
  readonly onClose: () => void
  /** The file on the server has changed. */
  readonly onSaved?: () => void
}

/** Shows a text file in an overlay and lets it be changed. Load it lazily; it brings the code editor. */
export function FileEditor(props: FileEditorProps) {
  const t = useT()
  const isPhone = useIsPhone()
  const { server, path, onClose } = props
  const { self } = useSession()
  const { opening, retry } = useFile(server, path)
  // Nobody knows better how to close than what is open.
  const [close, setClose] = useState<{ readonly ask: () => void }>()
  useReturnFocus()

  return (
    <Modal.Root
      opened
      onClose={close?.ask ?? onClose}
      fullScreen={isPhone}
      size="calc(100vw - 40px)"
      xOffset={20}
      yOffset={20}
      padding={0}
      // Esc belongs to the code: it ends a search, and lets Tab leave.
      closeOnEscape={false}
      closeOnClickOutside={false}
      transitionProps={{ duration: 0 }}
    >
      <Modal.Overlay />
      <Modal.Content aria-label={t('file-editor.EditorOf', { path })} classNames={{ content: classes.overlay ?? '' }}>
        <Modal.Body className={classes.body ?? ''}>
          {/* Whose draft is shown is known once the panel has said who is logged in. */}
          {opening.is === 'open' && self ? (
            <EditorBody key={self.id} {...props} userId={self.id} file={opening.file} onAskToClose={setClose} />
          ) : (
            <LoadingBody path={path} opening={opening} onAgain={retry} onClose={onClose} />
          )}
        </Modal.Body>
      </Modal.Content>
    </Modal.Root>
  )
}
