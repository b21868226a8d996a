import { useEffect, useRef, useState } from 'react'
import { captureKeysForDialog } from './key-capture.ts'

/** `captureKeysForDialog` for a dialog that a component opens: the capture ends with the component at the latest. */
export function useKeyCapture(): { readonly begin: typeof captureKeysForDialog; readonly end: () => void } {
  const stop = useRef<() => void>(undefined)
  const [capture] = useState(() => ({
    begin: (options: Parameters<typeof captureKeysForDialog>[0]) => {
      stop.current = captureKeysForDialog(options)
      return stop.current
    },
    end: () => stop.current?.(),
  }))
  useEffect(() => capture.end, [capture])
  return capture
}
