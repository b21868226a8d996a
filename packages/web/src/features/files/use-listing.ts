import { getFile } from '@innkeeper/contract/files'
import { queryOptions, useQuery, useQueryClient } from '@tanstack/react-query'
import { useCallback, useMemo } from 'react'
import { request } from '../../api/request.ts'
import { getRequestDetails } from '../../api/request-details.ts'
import { getQueryKey } from '../../api/use-api-query.ts'
import { itemsFrom } from './entries.ts'

/** Where a folder is asked for. If it turns out to be a file, one byte of it is plenty. */
const oneByte = { range: 'bytes=0-0' }

function queryOf(server: string, path: string) {
  const given = { params: { id: server, path } }
  return queryOptions({
    queryKey: getQueryKey(getFile, given),
    queryFn: ({ signal }) => request(getFile, given, { signal, headers: oneByte }),
  })
}

/** What a folder of a server holds. */
export function useListing(server: string, path: string) {
  const listing = useQuery(queryOf(server, path))
  const items = useMemo(() => listing.data && itemsFrom(path, listing.data), [listing.data, path])
  return { ...listing, items }
}

/** What a path leads to: the listing of a folder is kept for whoever shows it next. */
export function useLookUp(server: string): (path: string) => Promise<'folder' | 'file'> {
  const queries = useQueryClient()
  return useCallback(
    async (path) => {
      try {
        await queries.fetchQuery(queryOf(server, path))
        return 'folder'
      } catch (error) {
        if (isOfFile(error)) return 'file'
        throw error
      }
    },
    [queries, server],
  )
}

/** Whether the answer was that of a file: a part of it, that it has no first byte, or all of it, which is no listing. */
export function isOfFile(error: unknown): boolean {
  return [200, 206, 416].includes(getRequestDetails(error)?.status ?? 0)
}
