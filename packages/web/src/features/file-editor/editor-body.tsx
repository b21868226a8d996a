import { limits } from '@innkeeper/contract/limits'
import { ActionIcon, Badge, Box, Button, Stack, VisuallyHidden } from '@mantine/core'
import { IconArrowBackUp, IconDeviceFloppy, IconSearch, IconTextWrap } from '@tabler/icons-react'
import { type KeyboardEvent, Suspense, useEffect, useRef, useState } from 'react'
import { isRefusal } from '../../api/request.ts'
import { useFormatters, useT } from '../../i18n/i18n.tsx'
import { usePreference } from '../../session/preferences.tsx'
import { Alert } from '../../ui/alert.tsx'
import { ErrorAlert } from '../../ui/error-alert.tsx'
import { errorMessage } from '../../ui/error-message.ts'
import { lazyView } from '../../ui/lazy-view.tsx'
import { useIsPhone } from '../../ui/page.tsx'
import { ReadOnlyBadge } from '../../ui/read-only-badge.tsx'
import { Shortcut } from '../../ui/shortcut.tsx'
import { toast } from '../../ui/toast.tsx'
import type { CodeHandle, CodeStatus } from './code-view.tsx'
import { ConflictAlert, type RemoteVersion } from './conflict-alert.tsx'
import { readDraft, removeDraft, saveDraft } from './draft.ts'
import { EditorHead, ToolButton } from './editor-head.tsx'
import classes from './file-editor.module.css'
import type { FileEditorProps } from './file-editor.tsx'
import { EditorSkeleton } from './loading-body.tsx'
import { StatusBar } from './status-bar.tsx'
import { encodeText } from './text-file.ts'
import { UnsavedChangesDialog } from './unsaved-changes-dialog.tsx'
import { useCloseConfirmation } from './use-close-confirmation.ts'
import { type LoadedFile, readRemoteVersion, type WritePrecondition, writeFile } from './use-file.ts'

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
  const { fileSize } = useFormatters()
  const code = useRef<CodeHandle>(null)
  const isSavingRef = useRef(false)
  const [draft] = useState(() => (canWrite ? readDraft({ userId, server, path }) : undefined))
  // The editor now contains the draft, and saves it again if it is unmounted with unsaved changes.
  useEffect(() => {
    if (canWrite) removeDraft({ userId, server, path })
  }, [canWrite, userId, server, path])
  // A draft keeps the version that it started from, so that saving it detects changes made since then.
  const [base, setBase] = useState(draft ? { ...file, version: draft.version } : file)
  const [isDraftRestored, setIsDraftRestored] = useState(draft !== undefined)
  const [status, setStatus] = useState<CodeStatus>({ isModified: false, line: 1, column: 1 })
  const [isFocused, setIsFocused] = useState(false)
  const [isSaving, setIsSaving] = useState(false)
  const [failure, setFailure] = useState<{ readonly reason: string; readonly error?: unknown }>()
  const [remote, setRemote] = useState<RemoteVersion>()
  const [wrap, setWrap] = usePreference('editorWrap')
  const isBinary = file.encoding === 'binary'
  const isReadOnly = !canWrite || isBinary
  const isModified = status.isModified && !isReadOnly
  const name = path.split('/').at(-1) ?? path
  const closing = useCloseConfirmation(isModified, onClose)
  const { requestClose } = closing
  useEffect(() => onCloseRequest({ request: requestClose }), [onCloseRequest, requestClose])

  const fail = (reason: string, error?: unknown): false => {
    setFailure({ reason, error })
    return false
  }
  /** Saves the text; resolves with whether it was saved. */
  const save = async (precondition: WritePrecondition = { version: base.version }): Promise<boolean> => {
    const lines = code.current?.getLines()
    if (isReadOnly || isSavingRef.current || !lines) return false
    const bytes = encodeText({ ...base, lines })
    setFailure(undefined)
    if (!bytes) return fail(t('file-editor.NotInLatin1'))
    if (bytes.length > limits.editableFileBytes)
      return fail(t('file-editor.TooLarge', { max: fileSize(limits.editableFileBytes) }))
    isSavingRef.current = true
    setIsSaving(true)
    try {
      const version = await writeFile(server, path, bytes, precondition)
      code.current?.setBaseline(lines)
      setBase({ ...base, lines, version, size: bytes.length })
      setRemote(undefined)
      toast.success(t('common.Saved'))
      onSaved?.()
      return true
    } catch (error) {
      if (!isRefusal(error, 'ErrStaleVersion', 'ErrFileExists')) return fail(errorMessage(t, error), error)
      try {
        setRemote({ file: await readRemoteVersion(server, path) })
        return false
      } catch (readError) {
        return fail(errorMessage(t, readError), readError)
      }
    } finally {
      isSavingRef.current = false
      setIsSaving(false)
    }
  }
  const acceptRemote = (remoteFile: LoadedFile) => {
    code.current?.replace(remoteFile.lines)
    code.current?.setBaseline(remoteFile.lines)
    setBase(remoteFile)
    setRemote(undefined)
    setFailure(undefined)
    code.current?.focus()
  }
  const handleKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    // React events also bubble out of the portals of dialogs.
    if (!(event.target instanceof Element) || !event.currentTarget.contains(event.target)) return
    const isMod = (event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey
    const isInCode = event.target.closest('.cm-editor') !== null
    if (isMod && event.key.toLowerCase() === 's') {
      event.preventDefault()
      void save()
    } else if (isMod && event.key.toLowerCase() === 'f' && !isInCode) {
      event.preventDefault()
      code.current?.find()
    } else if (event.key === 'Escape' && !isInCode) {
      requestClose()
    }
  }

  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: handles key events that bubble from the controls inside
    <div className={classes.body} onKeyDown={handleKeyDown}>
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
          <>
            <ToolButton icon={<IconSearch size={17} aria-hidden />} onClick={() => code.current?.find()}>
              {t('file-editor.Find')}
            </ToolButton>
            <ToolButton
              icon={<IconTextWrap size={17} aria-hidden />}
              isPressed={wrap === 'on'}
              onClick={() => setWrap(wrap === 'on' ? 'off' : 'on')}
            >
              {t('file-editor.Wrap')}
            </ToolButton>
            {!isReadOnly && (
              <>
                <ToolButton
                  icon={<IconArrowBackUp size={17} aria-hidden />}
                  isDisabled={!isModified}
                  onClick={() => {
                    code.current?.replace(base.lines)
                    code.current?.focus()
                  }}
                >
                  {t('file-editor.Revert')}
                </ToolButton>
                <SaveButton isSaving={isSaving} isDisabled={!isModified} onClick={() => void save()} />
              </>
            )}
          </>
        }
      />
      {(isBinary || isDraftRestored || failure !== undefined || remote) && (
        <Stack className={classes.bar} gap="xs" p="xs">
          {isBinary && <Alert type="warning">{t('file-editor.Binary')}</Alert>}
          {isDraftRestored && (
            <Alert
              type="info"
              action={
                <Button size="xs" variant="subtle" color="gray" onClick={() => setIsDraftRestored(false)}>
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
              getLocalLines={() => code.current?.getLines() ?? []}
              isSaving={isSaving}
              onOverwrite={() => void save(remote.file ? { version: remote.file.version } : 'notExists')}
              onReload={acceptRemote}
              onKeepEditing={() => {
                setRemote(undefined)
                code.current?.focus()
              }}
            />
          )}
        </Stack>
      )}
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
            if (!isReadOnly && !closing.isClosing())
              saveDraft({ userId, server, path }, { lines: [...lines], version: base.version })
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
      <UnsavedChangesDialog
        name={name}
        opened={closing.isOpen}
        countChangedLines={() => code.current?.countChangedLines() ?? 0}
        onDiscard={closing.close}
        onKeepEditing={closing.cancel}
        onSave={() => {
          void save().then((isSaved) => (isSaved ? closing.close() : closing.cancel()))
        }}
      />
    </div>
  )
}

/** On a phone it is a dot, and text for screen readers only. */
function ModifiedBadge() {
  const t = useT()
  const text = t('file-editor.Modified')
  return useIsPhone() ? (
    <Box flex="none" w={8} h={8} bg="var(--ik-accent)" bdrs="xl">
      <VisuallyHidden>{text}</VisuallyHidden>
    </Box>
  ) : (
    <Badge flex="none" bg="var(--ik-accent-soft)" c="var(--ik-accent)">
      {text}
    </Badge>
  )
}

interface SaveButtonProps {
  readonly isSaving: boolean
  readonly isDisabled: boolean
  readonly onClick: () => void
}

function SaveButton({ isSaving, isDisabled, onClick }: SaveButtonProps) {
  const t = useT()
  const icon = <IconDeviceFloppy size={17} aria-hidden />
  const common = { 'aria-label': t('common.Save'), loading: isSaving, disabled: isDisabled, onClick }
  return useIsPhone() ? (
    <ActionIcon {...common} variant="filled" color="primary" size={44}>
      {icon}
    </ActionIcon>
  ) : (
    <Button {...common} flex="none" px={10} leftSection={icon} rightSection={<Shortcut keys="Mod S" />}>
      {t('common.Save')}
    </Button>
  )
}
