import { getDiskUsage, getFile, searchFiles } from '@innkeeper/contract/servers/files'
import { getTrash } from '@innkeeper/contract/servers/trash'
import { useQueryClient } from '@tanstack/react-query'
import { getQueryKey } from '../../api/use-api.ts'

/** `refresh` refetches the current folder; `refreshAll` everything that a job may have changed. */
export function useRefresh(id: string, path: string) {
  const queries = useQueryClient()
  const refresh = async () => {
    await Promise.all([
      queries.invalidateQueries({ queryKey: getQueryKey(getFile, { params: { id, path } }) }),
      queries.invalidateQueries({ queryKey: getQueryKey(searchFiles) }),
    ])
  }
  const refreshAll = () => {
    for (const endpoint of [getFile, searchFiles, getDiskUsage, getTrash])
      void queries.invalidateQueries({ queryKey: getQueryKey(endpoint) })
  }
  return { refresh, refreshAll: refreshAll }
}

/** Refetches these folders of a server and its disk usage. */
export function useFilesChanged(id: string): (folders: readonly string[]) => void {
  const queries = useQueryClient()
  return (folders) => {
    for (const path of folders)
      void queries.invalidateQueries({ queryKey: getQueryKey(getFile, { params: { id, path } }) })
    void queries.invalidateQueries({ queryKey: getQueryKey(getDiskUsage) })
  }
}
