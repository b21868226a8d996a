import { limits } from '@innkeeper/contract/limits'
import { Button } from '@mantine/core'
import { IconArrowBackUp, IconDeviceFloppy, IconSearch, IconTextWrap } from '@tabler/icons-react'
import { type KeyboardEvent, type ReactNode, Suspense, useEffect, useRef, useState } from 'react'
import { isRefusal } from '../../api/request.ts'
import { useFormatters, useT } from '../../i18n/i18n.tsx'
import { usePreference } from '../../session/preferences.tsx'
import { Alert } from '../../ui/alert.tsx'
import { ErrorAlert } from '../../ui/error-alert.tsx'
import { errorMessage } from '../../ui/error-message.ts'
import { lazyView } from '../../ui/lazy-view.tsx'
import { ReadOnlyBadge } from '../../ui/read-only-badge.tsx'
import { Shortcut } from '../../ui/shortcut.tsx'
import { toast } from '../../ui/toast.tsx'
import { ClosingDialog } from './closing-dialog.tsx'
import type { CodeHandle, CodeStatus } from './code-view.tsx'
import { ConflictNotice, type Theirs } from './conflict.tsx'
import { dropDraft, keepDraft, readDraft } from './draft.ts'
import { EditorHead } from './editor-head.tsx'
import classes from './file-editor.module.css'
import type { FileEditorProps } from './file-editor.tsx'
import { LinesToCome } from './loading-body.tsx'
import { StatusBar } from './status-bar.tsx'
import { bytesOf } from './text-file.ts'
import { useClosing } from './use-closing.ts'
import { type Condition, type ReadFile, readTheirs, writeFile } from './use-file.ts'

const CodeView = lazyView(async () => (await import('./code-view.tsx')).CodeView)

interface EditorBodyProps extends FileEditorProps {
  /** Whose unsaved lines are kept. */
  readonly userId: number
  readonly file: ReadFile
  readonly onAskToClose: (how: { readonly ask: () => void }) => void
}

/** A file that was read: its text, what can be done with it, and what stands between it and the server. */
export function EditorBody({ userId, server, path, canWrite, file, onClose, onSaved, onAskToClose }: EditorBodyProps) {
  const t = useT()
  const { bytes: formatted } = useFormatters()
  const code = useRef<CodeHandle>(null)
  const isSavingNow = useRef(false)
  const [draft] = useState(() => (canWrite ? readDraft({ userId, server, path }) : undefined))
  // From here the editor has it, and keeps it again if it is taken away.
  useEffect(() => {
    if (canWrite) dropDraft({ userId, server, path })
  }, [canWrite, userId, server, path])
  // What was kept began with a version of its own: what others saved since then is not overwritten by it.
  const [base, setBase] = useState(draft ? { ...file, version: draft.version } : file)
  const [isDraftTold, setIsDraftTold] = useState(draft !== undefined)
  const [status, setStatus] = useState<CodeStatus>({ isModified: false, line: 1, column: 1 })
  const [isInside, setIsInside] = useState(false)
  const [isSaving, setIsSaving] = useState(false)
  const [failure, setFailure] = useState<{ readonly reason: string; readonly error?: unknown }>()
  const [theirs, setTheirs] = useState<Theirs>()
  const [wrap, setWrap] = usePreference('editorWrap')
  const isBinary = file.encoding === 'binary'
  const isReadOnly = !canWrite || isBinary
  const isModified = status.isModified && !isReadOnly
  const name = path.split('/').at(-1) ?? path
  const closing = useClosing(isModified, onClose)
  const askToClose = closing.askToClose
  useEffect(() => onAskToClose({ ask: askToClose }), [onAskToClose, askToClose])

  /** Writes what is in view; false when it was not written. */
  const save = async (condition: Condition = { over: base.version }): Promise<boolean> => {
    const lines = code.current?.lines()
    if (isReadOnly || isSavingNow.current || !lines) return false
    const bytes = bytesOf({ ...base, lines })
    setFailure(undefined)
    if (!bytes) return refuse({ reason: t('file-editor.NotInLatin1') })
    if (bytes.length > limits.editableFileBytes)
      return refuse({ reason: t('file-editor.TooLarge', { max: formatted(limits.editableFileBytes) }) })
    isSavingNow.current = true
    setIsSaving(true)
    try {
      const version = await writeFile(server, path, bytes, condition)
      code.current?.markSaved(lines)
      setBase({ ...base, lines, version, size: bytes.length })
      setTheirs(undefined)
      toast.success(t('common.Saved'))
      onSaved?.()
      return true
    } catch (error) {
      if (!isRefusal(error, 'ErrStaleVersion', 'ErrFileExists'))
        return refuse({ reason: errorMessage(t, error), error })
      return await readTheirs(server, path).then((read) => {
        setTheirs({ file: read })
        return false
      }, refuse)
    } finally {
      isSavingNow.current = false
      setIsSaving(false)
    }
  }
  const refuse = (why: NonNullable<typeof failure>): false => {
    setFailure(why)
    return false
  }
  const takeTheirs = (read: ReadFile) => {
    code.current?.replace(read.lines)
    code.current?.markSaved(read.lines)
    setBase(read)
    setTheirs(undefined)
    setFailure(undefined)
    code.current?.focus()
  }
  const press = (event: KeyboardEvent<HTMLElement>) => {
    // Dialogs in front of it are its children for React, but not on the page.
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
      askToClose()
    }
  }

  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: keys that reach it come from the controls inside
    <div className={classes.body} onKeyDown={press}>
      <EditorHead
        path={path}
        onClose={askToClose}
        tags={
          <>
            {isModified && <span className={classes.modified}>{t('file-editor.Modified')}</span>}
            {!canWrite && <ReadOnlyBadge permission={t('file-editor.NeedsRight')} />}
          </>
        }
        actions={
          <>
            <Tool icon={<IconSearch size={17} aria-hidden />} onClick={() => code.current?.find()}>
              {t('file-editor.Find')}
            </Tool>
            <Tool
              icon={<IconTextWrap size={17} aria-hidden />}
              isOn={wrap === 'on'}
              onClick={() => setWrap(wrap === 'on' ? 'off' : 'on')}
            >
              {t('file-editor.Wrap')}
            </Tool>
            {!isReadOnly && (
              <>
                <Tool
                  icon={<IconArrowBackUp size={17} aria-hidden />}
                  isOff={!isModified}
                  onClick={() => {
                    code.current?.replace(base.lines)
                    code.current?.focus()
                  }}
                >
                  {t('file-editor.Revert')}
                </Tool>
                <Button
                  className={classes.save ?? ''}
                  leftSection={<IconDeviceFloppy size={17} aria-hidden />}
                  rightSection={<Shortcut keys="Mod S" />}
                  aria-label={t('common.Save')}
                  loading={isSaving}
                  disabled={!isModified}
                  onClick={() => void save()}
                >
                  <span className={classes.word}>{t('common.Save')}</span>
                </Button>
              </>
            )}
          </>
        }
      />
      {(isBinary || isDraftTold || failure !== undefined || theirs) && (
        <div className={classes.notices}>
          {isBinary && <Alert type="warning">{t('file-editor.Binary')}</Alert>}
          {isDraftTold && (
            <Alert
              type="info"
              action={
                <Button size="xs" variant="subtle" color="gray" onClick={() => setIsDraftTold(false)}>
                  {t('common.Close')}
                </Button>
              }
            >
              {t('file-editor.DraftIsBack')}
            </Alert>
          )}
          {failure && (
            <ErrorAlert error={failure.error} message={t('file-editor.FailedSaving', { reason: failure.reason })} />
          )}
          {theirs && (
            <ConflictNotice
              name={name}
              theirs={theirs}
              mine={() => code.current?.lines() ?? []}
              isSaving={isSaving}
              onOverwrite={() => void save(theirs.file ? { over: theirs.file.version } : 'isNew')}
              onReload={takeTheirs}
              onKeep={() => {
                setTheirs(undefined)
                code.current?.focus()
              }}
            />
          )}
        </div>
      )}
      <Suspense fallback={<LinesToCome />}>
        <CodeView
          ref={code}
          lines={file.lines}
          name={name}
          label={t('file-editor.ContentOf', { name })}
          lineEnding={file.lineEnding}
          isReadOnly={isReadOnly}
          isWrapped={wrap === 'on'}
          onStatus={setStatus}
          onFocus={setIsInside}
          draft={draft?.lines}
          onTakenAway={(left) => {
            if (!isReadOnly && !closing.isLeaving())
              keepDraft({ userId, server, path }, { lines: [...left], version: base.version })
          }}
        />
      </Suspense>
      <StatusBar
        name={name}
        file={base}
        status={status}
        lines={() => code.current?.lines()}
        isHintShown={isInside && !isReadOnly}
      />
      <ClosingDialog
        name={name}
        opened={closing.isAsking}
        changedLines={() => code.current?.changedLines() ?? 0}
        onDiscard={closing.leave}
        onKeep={closing.stay}
        onSave={() => {
          void save().then((isSaved) => (isSaved ? closing.leave() : closing.stay()))
        }}
      />
    </div>
  )
}

interface ToolProps {
  readonly icon: ReactNode
  readonly isOn?: boolean
  readonly isOff?: boolean
  readonly onClick: () => void
  readonly children: string
}

/** A button of the bar; on a phone only its icon has room. */
function Tool({ icon, isOn, isOff = false, onClick, children }: ToolProps) {
  return (
    <Button
      className={classes.tool ?? ''}
      variant="subtle"
      color="gray"
      leftSection={icon}
      aria-label={children}
      {...(isOn === undefined ? {} : { 'aria-pressed': isOn })}
      disabled={isOff}
      onClick={onClick}
    >
      <span className={classes.word}>{children}</span>
    </Button>
  )
}
