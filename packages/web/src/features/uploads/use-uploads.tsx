import { use, useEffect, useEffectEvent } from 'react'
import { lazyOverlay } from '../../ui/loading/lazy-overlay.tsx'
import { UploadStore } from './upload-store.ts'
import { UploadsContext, type UploadsInstance } from './uploads-provider.tsx'

const UploadQueue = lazyOverlay<{ readonly store: UploadStore }>(
  async () => (await import('./upload-queue.tsx')).UploadQueue,
)

export type Uploads = Pick<UploadStore, 'add' | 'resume' | 'keepSelection' | 'takeSelection'>

/** The upload queue of the app. It continues on other pages, and ends with the session. */
export function useUploads(): Uploads {
  const getStore = use(UploadsContext)
  return {
    add: (...args) => getStore(createUploads).add(...args),
    resume: (...args) => getStore(createUploads).resume(...args),
    keepSelection: (items) => getStore(createUploads).keepSelection(items),
    takeSelection: () => getStore(createUploads).takeSelection(),
  }
}

/** Calls `onDone` when the last upload for a server has ended, with the folders that have new files. */
export function useUploadsDone(server: string, onDone: (folders: readonly string[]) => void): void {
  const getStore = use(UploadsContext)
  const notify = useEffectEvent(onDone)

  useEffect(
    () => getStore(createUploads).onServerDone((id, folders) => (id === server ? notify(folders) : undefined)),
    [getStore, server],
  )
}

function createUploads(): UploadsInstance {
  const store = new UploadStore()
  return { store, queue: <UploadQueue store={store} /> }
}
