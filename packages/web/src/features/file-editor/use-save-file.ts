import { limits } from '@innkeeper/contract/text/limits'
import type { RefObject } from 'react'
import type { Precondition } from '../../api/request.ts'
import { useLatestState } from '../../forms/use-latest-state.ts'
import { useSaveDocument } from '../../forms/use-save-document.ts'
import { useT } from '../../i18n/i18n.tsx'
import { useFormatters } from '../../i18n/use-formatters.ts'
import { errorMessage } from '../../ui/text/error-message.ts'
import { toast } from '../../ui/toasts/toast.tsx'
import type { CodeHandle } from './code-view.tsx'
import { encodeText, isSameText, type TextFile } from './text-file.ts'
import type { CloseConfirmation } from './use-close-confirmation.ts'
import { type LoadedFile, readRemoteVersion, writeFile } from './use-file.ts'

interface SaveFileOptions {
  readonly server: string
  readonly path: string
  /** The file as it was loaded, with the version that the draft started from. */
  readonly file: LoadedFile
  readonly code: RefObject<CodeHandle | null>
  readonly isReadOnly: boolean
  readonly closing: CloseConfirmation
  readonly onSaved: (() => void) | undefined
}

/** A text to write. */
interface FileEdit {
  readonly text: TextFile
  /** `undefined` when the encoding of the file lacks one of its characters. */
  readonly bytes: Uint8Array<ArrayBuffer> | undefined
  /** It is a former content of the file. Until it is written, the text in the editor stays. */
  readonly isRestored: boolean
}

/** The version on the server; without a file if it was deleted. */
interface RemoteVersion {
  readonly version: Precondition
  readonly file: LoadedFile | undefined
}

export type FileSaving = ReturnType<typeof useSaveFile>

/** Saves the text of an editor, or a former content of the file. */
export function useSaveFile({ server, path, file, code, isReadOnly, closing, onSaved }: SaveFileOptions) {
  const t = useT()
  const { fileSize } = useFormatters()
  const [base, setBase, getBase] = useLatestState(file)
  const failureMessage = (reason: string) => t('file-editor.SavingFailed', { reason })

  const saving = useSaveDocument<FileEdit, Precondition, RemoteVersion, TextFile>({
    version: { version: file.version },
    isDirty: () => !isReadOnly && !closing.isClosing() && code.current?.isModified() === true,
    reset: closing.discard,
    guard: { lostOn: 'search', confirm: closing.confirm },
    getEdit: (restored, replacesTheirs) => {
      const lines = code.current?.getLines()
      if (isReadOnly || !lines) return undefined
      // Saving an unchanged text would only displace an older version of the file.
      if (!restored && !replacesTheirs && isSameText(lines, getBase().lines)) return undefined
      const text = restored ?? { ...getBase(), lines }
      return { text, bytes: encodeText(text), isRestored: restored !== undefined }
    },
    validate: ({ bytes }) => {
      if (!bytes) return failureMessage(t('file-editor.NotInLatin1'))
      const max = limits.editableFileBytes
      return bytes.length > max ? failureMessage(t('file-editor.TooLarge', { max: fileSize(max) })) : undefined
    },
    send: async ({ bytes }, precondition) => {
      if (!bytes) throw new TypeError('a text that cannot be encoded was sent')
      return { version: await writeFile(server, path, bytes, precondition) }
    },
    markSaved: ({ text, bytes, isRestored }, saved) => {
      if (isRestored) code.current?.replace(text.lines)
      code.current?.setBaseline(text.lines)
      setBase({ ...text, size: bytes?.length ?? 0, version: saved === 'new' ? undefined : saved.version })
    },
    reload: async () => {
      const latest = await readRemoteVersion(server, path)
      return { file: latest, version: latest ? { version: latest.version } : 'new' }
    },
    replace: ({ file: latest }) => {
      if (!latest) return
      code.current?.replace(latest.lines)
      code.current?.setBaseline(latest.lines)
      setBase(latest)
      code.current?.focus()
    },
    getMessage: (error) => failureMessage(errorMessage(t, error)),
    onSaved: (_, _isClean, { isRestored }) => {
      const name = path.split('/').at(-1) ?? path
      toast.success(isRestored ? t('files.RestoredNamed', { name }) : t('common.Saved'))
      onSaved?.()
    },
  })
  return { ...saving, base }
}
