import { getFile } from '@innkeeper/contract/files'
import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { recordOf } from '../../api/record.ts'
import { request } from '../../api/request.ts'
import { keyOf } from '../../api/use-call.ts'
import { itemsFrom } from './entries.ts'

/** Where a folder is asked for. If it turns out to be a file, one byte of it is plenty. */
const oneByte = { range: 'bytes=0-0' }

/** What a folder of a server holds. */
export function useListing(server: string, path: string) {
  const given = { params: { id: server, path } }
  const listing = useQuery({
    queryKey: keyOf(getFile, given),
    queryFn: ({ signal }) => request(getFile, given, { signal, headers: oneByte }),
  })
  const items = useMemo(() => listing.data && itemsFrom(path, listing.data), [listing.data, path])
  return { ...listing, items }
}

/** Whether the answer was that of a file: a part of it, or that an empty one has no first byte. */
export function isOfFile(error: unknown): boolean {
  const status = recordOf(error)?.status
  return status === 206 || status === 416
}
