import { useCallback, useRef, useState } from 'react'
import { useLatest } from '../../ui/hooks/use-latest.ts'

/** Asks about unsaved changes when the editor is closed, and when the user navigates away (`confirm`). */
export function useCloseConfirmation(hasChanges: boolean, onClose: () => void) {
  const [isOpen, setIsOpen] = useState(false)
  // Set after confirming, because closing navigates too.
  const isClosing = useRef(false)
  const latest = useLatest({ hasChanges, onClose })
  const resolveRef = useRef<(canClose: boolean) => void>(undefined)

  const confirm = useCallback(
    () =>
      new Promise<boolean>((resolve) => {
        resolveRef.current = resolve
        setIsOpen(true)
      }),
    [],
  )
  const requestClose = useCallback(() => {
    const close = (canClose: boolean) => {
      if (!canClose) return
      isClosing.current = true
      latest.current.onClose()
    }
    if (latest.current.hasChanges) void confirm().then(close)
    else close(true)
  }, [confirm, latest])
  const respond = (canClose: boolean) => {
    setIsOpen(false)
    resolveRef.current?.(canClose)
  }
  return {
    /** Whether the dialog is open. */
    isOpen,
    /** Opens the dialog; resolves with whether to leave. */
    confirm,
    /** Closes the editor, after asking about unsaved changes. */
    requestClose,
    /** Whether the user has confirmed to close. */
    isClosing: () => isClosing.current,
    /** The user has confirmed to leave. */
    discard: () => {
      isClosing.current = true
    },
    /** Closes the dialog and the editor. */
    close: () => respond(true),
    /** Closes the dialog only. */
    cancel: () => respond(false),
  }
}

export type CloseConfirmation = ReturnType<typeof useCloseConfirmation>
