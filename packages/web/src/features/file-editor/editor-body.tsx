import { Stack } from '@mantine/core'
import { type KeyboardEvent, Suspense, useEffect, useRef, useState } from 'react'
import { z } from 'zod/mini'
import { ConflictAlert } from '../../forms/conflict-alert.tsx'
import { RestoredDraft, SaveNotices } from '../../forms/save-notices.tsx'
import { UnsavedChangesDialog } from '../../forms/unsaved-changes-dialog.tsx'
import { draftKey, dropDraft, readDraft, storeDraft } from '../../forms/use-stored-draft.ts'
import { useT } from '../../i18n/i18n.tsx'
import { usePreference } from '../../session/preferences.tsx'
import { Alert } from '../../ui/feedback/alert.tsx'
import { ReadOnlyBadge } from '../../ui/feedback/read-only-badge.tsx'
import { lazyView } from '../../ui/loading/lazy-view.tsx'
import type { CodeHandle, CodeStatus } from './code-view.tsx'
import { EditorActions, ModifiedBadge } from './editor-actions.tsx'
import { EditorHead } from './editor-head.tsx'
import classes from './file-editor.module.css'
import { EditorSkeleton } from './file-state.tsx'
import { StatusBar } from './status-bar.tsx'
import { useCloseConfirmation } from './use-close-confirmation.ts'
import type { LoadedFile } from './use-file.ts'
import { type FileSaving, useSaveFile } from './use-save-file.ts'
import { VersionsDialog } from './versions-dialog.tsx'

export interface FileEditorProps {
  /** The server's id. */
  readonly server: string
  /** Relative to the server's folder: `plugins/LandClaim/config.yml`. */
  readonly path: string
  /** Whether the user has the scope putServerFiles; otherwise the editor is read-only. */
  readonly canWrite: boolean
  readonly onClose: () => void
  readonly onSaved?: () => void
}

const CompareView = lazyView(async () => (await import('../compare/compare-view.tsx')).CompareView)
const CodeView = lazyView(async () => (await import('./code-view.tsx')).CodeView)

interface EditorBodyProps extends FileEditorProps {
  /** The owner of the draft. */
  readonly userId: number
  readonly file: LoadedFile
  /** Passes the function that closes the editor after asking about unsaved changes. */
  readonly onCloseRequest: (handler: { readonly request: () => void }) => void
}

/** The editor of a loaded file: code, saving with conflict detection, and the draft of a lost session. */
export function EditorBody(props: EditorBodyProps) {
  const { userId, server, path, canWrite, file, onClose, onSaved, onCloseRequest } = props
  const t = useT()
  const code = useRef<CodeHandle>(null)
  const draftKey = fileDraftKey(userId, server, path)
  const [draft] = useState(() => (canWrite ? readFileDraft(draftKey) : undefined))
  // The editor now contains the draft, and stores it again if it is unmounted with unsaved changes.
  useEffect(() => {
    if (canWrite) dropDraft(draftKey)
  }, [canWrite, draftKey])
  const [status, setStatus] = useState<CodeStatus>({ isModified: false, line: 1, column: 1 })
  const [isFocused, setIsFocused] = useState(false)
  const [wrap, setWrap] = usePreference('editorWrap')
  const isBinary = file.encoding === 'binary'
  const isReadOnly = !canWrite || isBinary
  const isModified = status.isModified && !isReadOnly
  const name = path.split('/').at(-1) ?? path
  const closing = useCloseConfirmation(isModified, onClose)
  const { requestClose } = closing
  useEffect(() => onCloseRequest({ request: requestClose }), [onCloseRequest, requestClose])

  const saving = useSaveFile({
    server,
    path,
    code,
    isReadOnly,
    closing,
    onSaved,
    // A draft keeps the version that it started from, so that saving it detects changes made since then.
    file: draft ? { ...file, version: draft.version } : file,
  })
  const { base, isSaving, save } = saving
  /** The lines that versions are compared with; `undefined` while their dialog is closed. */
  const [comparedLines, setComparedLines] = useState<readonly string[]>()
  const wasEscape = useRef(false)
  const handleKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    // React events also bubble out of the portals of dialogs.
    if (!(event.target instanceof Element) || !event.currentTarget.contains(event.target)) return
    const isMod = (event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey
    const isInCode = event.target.closest('.cm-editor') !== null
    if (isMod && event.key.toLowerCase() === 'f' && !isInCode) {
      event.preventDefault()
      code.current?.find()
    } else if (event.key === 'Escape') {
      // In the code, the first Esc closes the search, drops the selection, or lets the Tab key leave.
      const isSecond = wasEscape.current && !event.defaultPrevented && !isModified
      if (!isInCode || isSecond) requestClose()
    }
    wasEscape.current = event.key === 'Escape'
  }

  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: handles key events that bubble from the controls inside
    <div ref={saving.root} className={classes.body} onKeyDown={handleKeyDown}>
      <EditorHead
        path={path}
        onClose={requestClose}
        tags={
          <>
            {isModified && <ModifiedBadge />}
            {!canWrite && <ReadOnlyBadge permission={t('file-editor.ReadOnly')} />}
          </>
        }
        actions={
          <EditorActions
            isReadOnly={isReadOnly}
            isModified={isModified}
            isSaving={isSaving}
            isWrapped={wrap === 'on'}
            onFind={() => code.current?.find()}
            onWrap={(isWrapped) => setWrap(isWrapped ? 'on' : 'off')}
            onRevert={() => {
              code.current?.replace(base.lines)
              code.current?.focus()
            }}
            onVersions={() => setComparedLines(code.current?.getLines())}
            onSave={() => void save()}
          />
        }
      />
      <EditorNotices
        name={name}
        isBinary={isBinary}
        hasDraft={draft !== undefined}
        onDiscardDraft={() => saving.takeTheirs({ file, version: { version: file.version } })}
        saving={saving}
        getLocalLines={() => code.current?.getLines() ?? []}
      />
      <Suspense fallback={<EditorSkeleton />}>
        <CodeView
          ref={code}
          lines={file.lines}
          name={name}
          label={t('file-editor.ContentOf', { name })}
          lineEnding={file.lineEnding}
          isReadOnly={isReadOnly}
          isWrapped={wrap === 'on'}
          onStatus={setStatus}
          onFocus={setIsFocused}
          draft={draft?.lines}
          onUnmountDirty={(lines) => {
            if (!isReadOnly && !closing.isClosing()) storeFileDraft(draftKey, { lines, version: base.version })
          }}
        />
      </Suspense>
      <StatusBar
        name={name}
        file={base}
        status={status}
        getLines={() => code.current?.getLines()}
        isHintShown={isFocused && !isReadOnly}
      />
      <VersionsDialog
        server={server}
        path={path}
        lines={comparedLines}
        onRestore={isReadOnly ? undefined : (version) => void save(version)}
        onClose={() => setComparedLines(undefined)}
      />
      <UnsavedChangesDialog
        opened={closing.isOpen}
        title={t('file-editor.SaveChangesTo', { name })}
        body={closing.isOpen ? t('file-editor.ClosingDiscards', { count: code.current?.countChangedLines() ?? 0 }) : ''}
        onDiscard={closing.close}
        onKeepEditing={closing.cancel}
        onSave={() => {
          void save().then((isSaved) => (isSaved ? closing.close() : closing.cancel()))
        }}
      />
    </div>
  )
}

interface EditorNoticesProps {
  readonly name: string
  readonly isBinary: boolean
  /** The editor opened with the draft of a lost session. */
  readonly hasDraft: boolean
  /** Shows the file as it was loaded. */
  readonly onDiscardDraft: () => void
  readonly saving: FileSaving
  readonly getLocalLines: () => readonly string[]
}

/** What the user should know before they go on editing; nothing when there is nothing. */
function EditorNotices(props: EditorNoticesProps) {
  const { name, isBinary, hasDraft, onDiscardDraft, saving, getLocalLines } = props
  const t = useT()
  const [isDraftShown, setIsDraftShown] = useState(hasDraft)
  const { failure, conflict } = saving
  if (!isBinary && !isDraftShown && !failure && !conflict) return null
  return (
    <Stack className={classes.bar} gap="xs" p="xs">
      {isBinary && <Alert type="warning">{t('file-editor.Binary')}</Alert>}
      {isDraftShown && (
        <RestoredDraft
          onDiscard={() => {
            setIsDraftShown(false)
            onDiscardDraft()
          }}
          onClose={() => setIsDraftShown(false)}
        />
      )}
      <SaveNotices {...saving}>
        {conflict && <Conflict name={name} saving={saving} conflict={conflict} getLocalLines={getLocalLines} />}
      </SaveNotices>
    </Stack>
  )
}

interface ConflictProps extends Pick<EditorNoticesProps, 'name' | 'saving' | 'getLocalLines'> {
  readonly conflict: NonNullable<FileSaving['conflict']>
}

/** Another user changed or deleted the file. */
function Conflict({ name, saving, conflict: { latest, part: restored }, getLocalLines }: ConflictProps) {
  const t = useT()
  const { file } = latest
  return (
    <ConflictAlert
      id={saving.conflictId}
      message={t(file ? 'file-editor.ChangedByOther' : 'file-editor.DeletedByOther')}
      theirs={file && { label: t('definition.LoadTheirs'), onChoose: () => saving.takeTheirs(latest) }}
      mine={{ label: t(file ? 'common.Overwrite' : 'file-editor.SaveAgain'), onChoose: saving.keepMine }}
      onKeepEditing={saving.keepEditing}
      comparison={
        file && {
          title: t('common.CompareOf', { name }),
          view: () => (
            <Suspense fallback={<EditorSkeleton />}>
              <CompareView theirs={file.lines} mine={restored?.lines ?? getLocalLines()} name={name} />
            </Suspense>
          ),
        }
      }
    />
  )
}

/** Unsaved lines of a file, and the version of the file that they are based on. */
const FileDraft = z.object({
  saved: z.object({ version: z.optional(z.string()) }),
  edits: z.object({ lines: z.array(z.string()) }),
})

interface FileDraft {
  readonly lines: readonly string[]
  readonly version: string | undefined
}

/** The key of a draft in the browser; it belongs to one user. */
function fileDraftKey(userId: number, server: string, path: string): string {
  return draftKey(userId, `server-${server}-file-${path}`)
}

/** Stores unsaved lines in this browser tab, until the same user opens the file again (after a lost session). */
function storeFileDraft(key: string, { lines, version }: FileDraft): void {
  storeDraft(key, { saved: { version }, edits: { lines } })
}

function readFileDraft(key: string): FileDraft | undefined {
  const { data } = FileDraft.safeParse(readDraft(key))
  return data && { lines: data.edits.lines, version: data.saved.version }
}
