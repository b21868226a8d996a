import { useState } from 'react'
import { useT } from '../../i18n/i18n.tsx'
import { useSession } from '../../session/session.tsx'
import { EditorBody, type FileEditorProps } from './editor-body.tsx'
import { EditorHead } from './editor-head.tsx'
import { EditorSkeleton, FileState } from './file-state.tsx'
import { Overlay } from './overlay.tsx'
import { useFile } from './use-file.ts'

/** Edits a text file in an overlay. Import it lazily: it contains CodeMirror. */
export function FileEditor(props: FileEditorProps) {
  const t = useT()
  const { server, path, onClose } = props
  const { self } = useSession()
  const file = useFile(server, path)
  // The open file asks about unsaved changes first.
  const [closeRequest, setCloseRequest] = useState<{ readonly request: () => void }>()

  return (
    <Overlay
      label={t('file-editor.EditorOf', { path })}
      onClose={closeRequest?.request ?? onClose}
      // In the code, Esc closes the search panel and lets the Tab key leave.
      closesEasily={false}
    >
      {/* Drafts belong to a user, so the editor needs to know who is signed in. */}
      {file.data && self ? (
        <EditorBody key={self.id} {...props} userId={self.id} file={file.data} onCloseRequest={setCloseRequest} />
      ) : (
        <>
          <EditorHead path={path} onClose={onClose} />
          <FileState query={file}>{() => <EditorSkeleton />}</FileState>
        </>
      )}
    </Overlay>
  )
}
