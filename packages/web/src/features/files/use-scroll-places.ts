import { useEffect, useState } from 'react'
import { isWithin } from '../../api/file-paths.ts'

/** Where folders were scrolled to: whoever comes back finds the list as it was, whoever goes down begins at the top. */
export function useScrollPlaces(path: string) {
  const [places] = useState(() => new Map<string, number>())
  // From here the folders below can only be entered by going down.
  useEffect(() => {
    for (const other of places.keys()) if (other !== path && isWithin(path, other)) places.delete(other)
  }, [places, path])
  return {
    topOf: () => places.get(path) ?? 0,
    keep: (top: number) => void places.set(path, top),
  }
}
