import { use, useCallback, useEffect, useEffectEvent, useMemo } from 'react'
import { lazyOverlay } from '../../ui/lazy-overlay.tsx'
import type { PickedItem } from './items.ts'
import { UploadStore } from './upload-store.ts'
import { UploadsContext, type UploadsInstance } from './uploads-provider.tsx'

const UploadQueue = lazyOverlay<{ readonly store: UploadStore }>(
  async () => (await import('./upload-queue.tsx')).UploadQueue,
)

export interface Uploads {
  /** Queues files for `folder`, a path relative to the server's folder. */
  readonly add: (server: string, folder: string, items: readonly PickedItem[]) => void
  /** Resumes an interrupted upload. The caller must check that it is the same file. */
  readonly resume: (server: string, path: string, file: File, upload: string) => void
  /** Keeps files that the user selected on this screen for the next one. */
  readonly keepSelection: (items: readonly PickedItem[]) => void
  /** The files that the previous screen kept. */
  readonly takeSelection: () => readonly PickedItem[]
}

/** The upload queue of the app. It continues on other pages, and ends with the session. */
export function useUploads(): Uploads {
  const getStore = use(UploadsContext)
  const add = useCallback<Uploads['add']>((...args) => getStore(createUploads).add(...args), [getStore])
  const resume = useCallback<Uploads['resume']>((...args) => getStore(createUploads).resume(...args), [getStore])
  return useMemo(() => {
    const keepSelection: Uploads['keepSelection'] = (items) => getStore(createUploads).keepSelection(items)
    const takeSelection: Uploads['takeSelection'] = () => getStore(createUploads).takeSelection()
    return { add, resume, keepSelection, takeSelection }
  }, [add, resume, getStore])
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
