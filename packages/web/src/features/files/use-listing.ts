import { getFile } from '@innkeeper/contract/servers/files'
import { queryOptions, useQuery, useQueryClient } from '@tanstack/react-query'
import { useMemo } from 'react'
import { getRequestDetails, request } from '../../api/request.ts'
import { getQueryKey } from '../../api/use-api.ts'
import { toItems } from './entries.ts'

/** Reads one byte only if the path turns out to be a file. */
const firstByteOnly = { range: 'bytes=0-0' }

function listingQuery(server: string, path: string) {
  const input = { params: { id: server, path } }
  return queryOptions({
    queryKey: getQueryKey(getFile, input),
    queryFn: ({ signal }) => request(getFile, input, { signal, headers: firstByteOnly }),
  })
}

/** The items of a folder. */
export function useListing(server: string, path: string) {
  const listing = useQuery(listingQuery(server, path))
  const items = useMemo(() => listing.data && toItems(path, listing.data), [listing.data, path])
  return { ...listing, items }
}

/** Resolves a path's type, following links. The listing of a folder is cached for opening it. */
export function useResolveType(server: string): (path: string) => Promise<'folder' | 'file'> {
  const queries = useQueryClient()
  return async (path) => {
    try {
      await queries.fetchQuery(listingQuery(server, path))
      return 'folder'
    } catch (error) {
      if (isFileResponse(error)) return 'file'
      throw error
    }
  }
}

/** Whether a listing failed because the path is a file: its status is that of file content, empty or not. */
export function isFileResponse(error: unknown): boolean {
  return [200, 206, 416].includes(getRequestDetails(error)?.status ?? 0)
}
