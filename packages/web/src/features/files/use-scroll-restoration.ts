import { useEffect, useState } from 'react'
import { isWithin } from '../../api/file-paths.ts'

/** Remembers the scroll position of each folder for going back up. A folder that is entered again starts at the top. */
export function useScrollRestoration(path: string) {
  const [positions] = useState(() => new Map<string, number>())
  useEffect(() => {
    for (const other of positions.keys()) if (other !== path && isWithin(path, other)) positions.delete(other)
  }, [positions, path])
  return {
    getScrollTop: () => positions.get(path) ?? 0,
    saveScrollTop: (top: number) => void positions.set(path, top),
  }
}
