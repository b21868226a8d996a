import { createContext, lazy, type ReactNode, Suspense, useCallback, useEffect, useRef, useState } from 'react'
import type { UploadStore } from './upload-store.ts'

const UploadQueue = lazy(async () => ({ default: (await import('./upload-queue.tsx')).UploadQueue }))

/** The store of this window; made by whoever wants it first, so that the frame does not bring it along. */
export const OpenUploadsContext = createContext<(make: () => UploadStore) => UploadStore>((make) => make())

/** Holds the queue of uploads as long as somebody is logged in, and shows it over whatever page is open. */
export function UploadsProvider({ children }: { children: ReactNode }) {
  const held = useRef<UploadStore>(undefined)
  const [store, setStore] = useState<UploadStore>()
  const open = useCallback((make: () => UploadStore) => {
    held.current ??= make()
    setStore(held.current)
    return held.current
  }, [])
  useEffect(
    () => () => {
      held.current?.close()
      held.current = undefined
    },
    [],
  )

  return (
    <OpenUploadsContext value={open}>
      {children}
      <Suspense fallback={null}>{store && <UploadQueue store={store} />}</Suspense>
    </OpenUploadsContext>
  )
}
