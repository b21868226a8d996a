import { useRef } from 'react'
import { isWithin } from '../../api/file-paths.ts'

/** Where folders were scrolled to: whoever comes back finds the list as it was, whoever goes down begins at the top. */
export function useScrollPlaces(path: string) {
  const places = useRef(new Map<string, number>())
  const last = useRef(path)
  if (last.current !== path) {
    if (isWithin(last.current, path)) places.current.delete(path)
    last.current = path
  }
  return {
    topOf: () => places.current.get(path) ?? 0,
    keep: (top: number) => void places.current.set(path, top),
  }
}
