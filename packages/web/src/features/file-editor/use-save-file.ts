import { limits } from '@innkeeper/contract/limits'
import { type RefObject, useRef, useState } from 'react'
import { isRefusal } from '../../api/request.ts'
import { useFormatters, useT } from '../../i18n/i18n.tsx'
import { errorMessage } from '../../ui/error-message.ts'
import { toast } from '../../ui/toast.tsx'
import type { CodeHandle } from './code-view.tsx'
import type { RemoteVersion } from './conflict-alert.tsx'
import { encodeText, isSameText, type TextFile } from './text-file.ts'
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

interface WriteOptions {
  /** Shown afterwards. */
  readonly message: string
  /** The former content that is being restored. */
  readonly restored?: TextFile
  readonly onWritten?: () => void
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
  /** Writes a text; resolves with whether it was written. */
  const write = async (
    text: TextFile,
    precondition: WritePrecondition,
    { message, restored, onWritten }: WriteOptions,
  ): Promise<boolean> => {
    if (isReadOnly || isSavingRef.current) return false
    const bytes = encodeText(text)
    setFailure(undefined)
    if (!bytes) return fail(t('file-editor.NotInLatin1'))
    if (bytes.length > limits.editableFileBytes)
      return fail(t('file-editor.TooLarge', { max: fileSize(limits.editableFileBytes) }))
    isSavingRef.current = true
    setIsSaving(true)
    try {
      const version = await writeFile(server, path, bytes, precondition)
      onWritten?.()
      code.current?.setBaseline(text.lines)
      setBase({ ...text, version, size: bytes.length })
      setRemote(undefined)
      toast.success(message)
      onSaved?.()
      return true
    } catch (error) {
      if (!isRefusal(error, 'ErrStaleVersion', 'ErrFileExists')) return fail(errorMessage(t, error), error)
      try {
        setRemote({ file: await readRemoteVersion(server, path), restored })
        return false
      } catch (readError) {
        return fail(errorMessage(t, readError), readError)
      }
    } finally {
      isSavingRef.current = false
      setIsSaving(false)
    }
  }
  /** Saves the text; resolves with whether it was saved. */
  const save = async (precondition?: WritePrecondition): Promise<boolean> => {
    const lines = code.current?.getLines()
    if (!lines) return false
    // Saving an unchanged text would only displace an older version of the file.
    if (!precondition && isSameText(lines, base.lines)) return true
    return await write({ ...base, lines }, precondition ?? { version: base.version }, { message: t('common.Saved') })
  }
  /** Saves a former content of the file. Until that has succeeded, the text in the editor stays. */
  const restore = async (
    restored: TextFile,
    precondition: WritePrecondition = { version: base.version },
  ): Promise<boolean> =>
    await write(restored, precondition, {
      message: t('files.RestoredNamed', { name: path.split('/').at(-1) ?? path }),
      restored,
      onWritten: () => code.current?.replace(restored.lines),
    })
  /** Saves what was to be saved before, over the version of the other user. */
  const overwriteRemote = async ({ file: remoteFile, restored }: RemoteVersion): Promise<boolean> => {
    const precondition = remoteFile ? { version: remoteFile.version } : 'notExists'
    return restored ? await restore(restored, precondition) : await save(precondition)
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
  return { base, isSaving, failure, remote, save, restore, overwriteRemote, acceptRemote, dismissRemote }
}
