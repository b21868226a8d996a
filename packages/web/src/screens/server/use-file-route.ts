import { useCallback, useMemo, useState } from 'react'
import { useSearchParams } from 'react-router'
import { parsePath } from '../../api/file-paths.ts'

/**
 * The folder (`path`) and the open file (`edit`, `view`) in the Files tab. They are search params, so that links and the
 * Back button work.
 */
export function useFileRoute(server: string) {
  const [search, setSearch] = useSearchParams()
  const [images, setImages] = useState<readonly string[]>([])
  const change = useCallback(
    (params: Readonly<Record<'path' | 'edit' | 'view', string | undefined>>, replace = false) =>
      setSearch(
        (before) => {
          const next = new URLSearchParams(before)
          next.set('tab', 'files')
          for (const [name, value] of Object.entries(params)) {
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
    /** The file in the editor. */
    edited: search.get('edit') ?? undefined,
    /** The image in the preview. */
    viewed,
    /** The images that the preview can step through. */
    images: useMemo(() => (viewed !== undefined && !images.includes(viewed) ? [viewed] : images), [images, viewed]),
    openFolder: (folder: string) => change({ path: folder, edit: undefined, view: undefined }),
    getHref: (folder: string) =>
      `/server/${server}?${new URLSearchParams({ tab: 'files', ...(folder ? { path: folder } : {}) })}`,
    edit: (file: string) => change({ path, edit: file, view: undefined }),
    view(image: string, folderImages: readonly string[]) {
      setImages(folderImages)
      change({ path, edit: undefined, view: image })
    },
    /** Shows another image without a history entry. */
    showImage: (image: string) => change({ path, edit: undefined, view: image }, true),
    close: () => change({ path, edit: undefined, view: undefined }, true),
  }
}
