import { use, useCallback, useEffect, useEffectEvent, useMemo } from 'react'
import { lazyOverlay } from '../../ui/lazy-overlay.tsx'
import type { PickedItem } from './items.ts'
import { UploadStore } from './upload-store.ts'
import { type OpenUploads, OpenUploadsContext } from './uploads-provider.tsx'

const UploadQueue = lazyOverlay<{ readonly store: UploadStore }>(
  async () => (await import('./upload-queue.tsx')).UploadQueue,
)

export interface Uploads {
  /** Puts files in the queue; they go to `folder`, a path from the server's folder, one by one. */
  readonly add: (server: string, folder: string, items: readonly PickedItem[]) => void
  /** Goes on with an upload that was interrupted; it must be the same file. */
  readonly resume: (server: string, path: string, file: File, upload: string) => void
}

/** The queue of uploads, one for the whole app. It outlives tabs and pages, and ends with the session. */
export function useUploads(): Uploads {
  const open = use(OpenUploadsContext)
  const add = useCallback<Uploads['add']>((...wanted) => open(newUploads).add(...wanted), [open])
  const resume = useCallback<Uploads['resume']>((...wanted) => open(newUploads).resume(...wanted), [open])
  return useMemo(() => ({ add, resume }), [add, resume])
}

/** Tells when the last upload of this server has ended, with the folders that have something new. */
export function useUploadsEnded(server: string, onEnd: (folders: readonly string[]) => void): void {
  const open = use(OpenUploadsContext)
  const ended = useEffectEvent(onEnd)

  useEffect(
    () => open(newUploads).watchEnds((id, folders) => (id === server ? ended(folders) : undefined)),
    [open, server],
  )
}

function newUploads(): OpenUploads {
  const store = new UploadStore()
  return { store, queue: <UploadQueue store={store} /> }
}
