import { limits } from '@innkeeper/contract/limits'
import { type RefObject, useRef, useState } from 'react'
import { isRefusal } from '../../api/request.ts'
import { useFormatters, useT } from '../../i18n/i18n.tsx'
import { errorMessage } from '../../ui/error-message.ts'
import { toast } from '../../ui/toast.tsx'
import type { CodeHandle } from './code-view.tsx'
import type { RemoteVersion } from './conflict-alert.tsx'
import { encodeText } from './text-file.ts'
import { type LoadedFile, readRemoteVersion, type WritePrecondition, writeFile } from './use-file.ts'

interface SaveOptions {
  readonly server: string
  readonly path: string
  /** The file as it was loaded, with the version that the draft started from. */
  readonly file: LoadedFile
  readonly code: RefObject<CodeHandle | null>
  readonly isReadOnly: boolean
  readonly onSaved: (() => void) | undefined
}

export type FileSaving = ReturnType<typeof useSaveFile>

/** Saves the text of an editor, and detects changes by other users since it was loaded. */
export function useSaveFile({ server, path, file, code, isReadOnly, onSaved }: SaveOptions) {
  const t = useT()
  const { fileSize } = useFormatters()
  const isSavingRef = useRef(false)
  const [base, setBase] = useState(file)
  const [isSaving, setIsSaving] = useState(false)
  const [failure, setFailure] = useState<{ readonly reason: string; readonly error?: unknown }>()
  const [remote, setRemote] = useState<RemoteVersion>()

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
  const dismissRemote = () => {
    setRemote(undefined)
    code.current?.focus()
  }
  return { base, isSaving, failure, remote, save, acceptRemote, dismissRemote }
}
