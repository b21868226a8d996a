import { getDiskUsage, getFile, searchFiles } from '@innkeeper/contract/files'
import { useQueryClient } from '@tanstack/react-query'
import { useCallback } from 'react'
import { getQueryKey } from '../../api/use-api-query.ts'

/** Asks for the list in view again; and after work, for everything that it may have changed. */
export function useRefresh(id: string, path: string) {
  const queries = useQueryClient()
  const refresh = useCallback(async () => {
    await Promise.all([
      queries.invalidateQueries({ queryKey: getQueryKey(getFile, { params: { id, path } }) }),
      queries.invalidateQueries({ queryKey: getQueryKey(searchFiles) }),
    ])
  }, [queries, id, path])
  const refreshAfter = useCallback(() => {
    // Folders that are not in view have changed too.
    for (const call of [getFile, searchFiles, getDiskUsage])
      void queries.invalidateQueries({ queryKey: getQueryKey(call) })
  }, [queries])
  return { refresh, refreshAfter }
}

/** Tells the lists that something has changed in these folders of a server. */
export function useFilesChanged(id: string): (folders: readonly string[]) => void {
  const queries = useQueryClient()
  return useCallback(
    (folders) => {
      for (const path of folders)
        void queries.invalidateQueries({ queryKey: getQueryKey(getFile, { params: { id, path } }) })
      void queries.invalidateQueries({ queryKey: getQueryKey(getDiskUsage) })
    },
    [queries, id],
  )
}
