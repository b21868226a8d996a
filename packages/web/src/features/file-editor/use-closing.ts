import { useCallback, useRef, useState } from 'react'
import { useUnsavedChanges } from '../../forms/unsaved-changes.tsx'
import { useLatest } from '../../ui/use-latest.ts'

/** Asks what becomes of unsaved changes: when the editor is closed, and when the person goes to another address. */
export function useClosing(hasChanges: boolean, onClose: () => void) {
  const [isAsking, setIsAsking] = useState(false)
  // Closing may itself go to another address: that was asked for already.
  const isLeaving = useRef(false)
  const latest = useLatest({ hasChanges, onClose })
  /** Ends the question: true leaves. */
  const decide = useRef<(isWanted: boolean) => void>(undefined)

  const ask = useCallback(
    () =>
      new Promise<boolean>((resolve) => {
        decide.current = resolve
        setIsAsking(true)
      }),
    [],
  )
  useUnsavedChanges({
    isDirty: () => latest.current.hasChanges && !isLeaving.current,
    lostWith: 'search',
    ask,
    onLeave: () => {
      isLeaving.current = true
    },
  })

  const askToClose = useCallback(() => {
    const close = (isWanted: boolean) => {
      if (!isWanted) return
      isLeaving.current = true
      latest.current.onClose()
    }
    if (latest.current.hasChanges) void ask().then(close)
    else close(true)
  }, [ask, latest])
  const answer = (isWanted: boolean) => {
    setIsAsking(false)
    decide.current?.(isWanted)
  }
  return {
    isAsking,
    askToClose,
    /** Whether the person has said that it may close. */
    isLeaving: () => isLeaving.current,
    /** Goes where the person was going, whatever is unsaved. */
    leave: () => answer(true),
    stay: () => answer(false),
  }
}
