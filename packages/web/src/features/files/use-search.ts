import { searchFiles } from '@innkeeper/contract/servers/files'
import { limits } from '@innkeeper/contract/text/limits'
import { useMemo, useState } from 'react'
import { parsePath } from '../../api/file-paths.ts'
import { useApiQuery } from '../../api/use-api.ts'
import { toItem } from './entries.ts'

/** A filter for the current folder, which can be extended to a search of its subfolders. */
export function useSearch(server: string, path: string) {
  const [query, setQuery] = useState('')
  const [isRecursive, setIsRecursive] = useState(false)
  const [shownPath, setShownPath] = useState(path)
  if (shownPath !== path) {
    setShownPath(path)
    setQuery('')
    setIsRecursive(false)
  }
  const text = query.trim().slice(0, limits.nameBytes)
  const isSearching = isRecursive && text !== ''
  const request = useApiQuery(
    searchFiles,
    { params: { id: server }, query: { path, text } },
    { enabled: isSearching, staleTime: 0 },
  )
  const results = useMemo(
    () => request.data?.found.map((entry) => toItem(parsePath(entry.path), entry)),
    [request.data],
  )

  return {
    query,
    setFilter(next: string) {
      setQuery(next)
      setIsRecursive(false)
    },
    search: () => setIsRecursive(true),
    isSearching,
    /** Matches in the subfolders; `undefined` until the search has completed. */
    results: isSearching ? results : undefined,
    isComplete: request.data?.isComplete ?? true,
    request,
  }
}
