import { useCallback, useRef, useState } from 'react'
import { captureKeysForDialog } from '../ui/type-ahead.ts'

/** State of an overlay that is loaded when it is first opened. Keys typed until then are entered into it. */
export function useOverlay() {
  const [isOpen, setIsOpen] = useState(false)
  const [wasOpened, setWasOpened] = useState(false)
  const stopCapture = useRef<() => void>(undefined)

  const open = useCallback(() => {
    stopCapture.current = captureKeysForDialog({ onEscape: () => setIsOpen(false) })
    setWasOpened(true)
    setIsOpen(true)
  }, [])
  const close = useCallback(() => {
    stopCapture.current?.()
    setIsOpen(false)
  }, [])
  return { isOpen, wasOpened, open, close, toggle: isOpen ? close : open }
}
