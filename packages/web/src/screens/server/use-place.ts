import { useCallback, useMemo, useState } from 'react'
import { useSearchParams } from 'react-router'
import { parsePath } from '../../api/file-paths.ts'

/**
 * Where one is among the files of a server: the folder (`path`), and the file that is open in front of it (`edit`,
 * `view`). All of it is in the address, so that links and Back work.
 */
export function usePlace(server: string) {
  const [search, setSearch] = useSearchParams()
  const [images, setImages] = useState<readonly string[]>([])
  const change = useCallback(
    (parts: Readonly<Record<'path' | 'edit' | 'view', string | undefined>>, replace = false) =>
      setSearch(
        (now) => {
          const next = new URLSearchParams(now)
          next.set('tab', 'files')
          for (const [name, value] of Object.entries(parts)) {
            if (value) next.set(name, value)
            else next.delete(name)
          }
          return next
        },
        { replace },
      ),
    [setSearch],
  )
  const path = parsePath(search.get('path') ?? '')
  const viewed = search.get('view') ?? undefined

  return {
    path,
    edited: search.get('edit') ?? undefined,
    viewed,
    /** Those that one can go through from the image in view. */
    images: useMemo(() => (viewed !== undefined && !images.includes(viewed) ? [viewed] : images), [images, viewed]),
    go: (to: string) => change({ path: to, edit: undefined, view: undefined }),
    hrefOf: (to: string) => `/server/${server}?${new URLSearchParams({ tab: 'files', ...(to ? { path: to } : {}) })}`,
    edit: (file: string) => change({ path, edit: file, view: undefined }),
    view(image: string, among: readonly string[]) {
      setImages(among)
      change({ path, edit: undefined, view: image })
    },
    /** Another image, in the place of the one in view. */
    show: (image: string) => change({ path, edit: undefined, view: image }, true),
    close: () => change({ path, edit: undefined, view: undefined }, true),
  }
}
