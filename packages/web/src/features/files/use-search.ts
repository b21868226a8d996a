import { searchFiles } from '@innkeeper/contract/files'
import { limits } from '@innkeeper/contract/limits'
import { useMemo, useState } from 'react'
import { parsePath } from '../../api/file-paths.ts'
import { useApiQuery } from '../../api/use-api-query.ts'
import { itemFrom } from './entries.ts'

/** A filter for the folder in view, that becomes a search below it when asked. */
export function useSearch(server: string, path: string) {
  const [sought, setSought] = useState('')
  const [isDeep, setIsDeep] = useState(false)
  const [shownPath, setShownPath] = useState(path)
  if (shownPath !== path) {
    // Another folder is another list.
    setShownPath(path)
    setSought('')
    setIsDeep(false)
  }
  const wanted = sought.trim().slice(0, limits.nameBytes)
  const isSearching = isDeep && wanted !== ''
  const search = useApiQuery(
    searchFiles,
    { params: { id: server }, query: { path, text: wanted } },
    { enabled: isSearching, staleTime: 0 },
  )
  const found = useMemo(() => search.data?.found.map((entry) => itemFrom(parsePath(entry.path), entry)), [search.data])

  return {
    sought,
    seek(next: string) {
      setSought(next)
      setIsDeep(false)
    },
    search: () => setIsDeep(true),
    isSearching,
    /** What was found below the folder; `undefined` until the answer is there. */
    found: isSearching ? found : undefined,
    isComplete: search.data?.isComplete ?? true,
    answer: search,
  }
}
export type Search = ReturnType<typeof useSearch>
