import { createContext, type ReactNode, useCallback, useEffect, useRef, useState } from 'react'
import type { UploadStore } from './upload-store.ts'

/** The uploads of this window and their panel. The first use creates them, so that their code is loaded lazily. */
export interface UploadsInstance {
  readonly store: UploadStore
  readonly queue: ReactNode
}

/** Returns the upload store; `create` is called if there is none yet. */
export const UploadsContext = createContext<(create: () => UploadsInstance) => UploadStore>((create) => create().store)

/** Owns the upload queue of a session and shows its panel on every page. */
export function UploadsProvider({ children }: { children: ReactNode }) {
  const instance = useRef<UploadsInstance>(undefined)
  const [shown, setShown] = useState<UploadsInstance>()
  const getStore = useCallback((create: () => UploadsInstance) => {
    instance.current ??= create()
    setShown(instance.current)
    return instance.current.store
  }, [])
  useEffect(
    () => () => {
      instance.current?.store.close()
      instance.current = undefined
    },
    [],
  )

  return (
    <UploadsContext value={getStore}>
      {children}
      {shown?.queue}
    </UploadsContext>
  )
}
