import { createContext, type ReactNode, useCallback, useEffect, useRef, useState } from 'react'
import type { UploadStore } from './upload-store.ts'

/** The uploads of this window, and how they are shown. Whoever wants them first brings both. */
export interface OpenUploads {
  readonly store: UploadStore
  readonly queue: ReactNode
}

export const OpenUploadsContext = createContext<(make: () => OpenUploads) => UploadStore>((make) => make().store)

/** Holds the queue of uploads as long as somebody is logged in, and shows it over whatever page is open. */
export function UploadsProvider({ children }: { children: ReactNode }) {
  const held = useRef<OpenUploads>(undefined)
  const [shown, setShown] = useState<OpenUploads>()
  const open = useCallback((make: () => OpenUploads) => {
    held.current ??= make()
    setShown(held.current)
    return held.current.store
  }, [])
  useEffect(
    () => () => {
      held.current?.store.close()
      held.current = undefined
    },
    [],
  )

  return (
    <OpenUploadsContext value={open}>
      {children}
      {shown?.queue}
    </OpenUploadsContext>
  )
}
