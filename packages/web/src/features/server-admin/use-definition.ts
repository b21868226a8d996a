import { ServerDefinition } from '@innkeeper/contract/definition'
import { getDefinition, putDefinition, reloadServer } from '@innkeeper/contract/node-servers'
import type { Refusal } from '@innkeeper/contract/refusals'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useCallback } from 'react'
import { request, requestWithResponse } from '../../api/request.ts'
import { getQueryKey } from '../../api/use-api-query.ts'
import { isObject, proven, type Raw } from '../definition-editor/raw.ts'
import type { Versioned } from '../definition-editor/versioned-editor.tsx'

/** A definition as the schema reads it, beside what came. */
export interface VersionedDefinition extends Versioned {
  readonly definition: ServerDefinition
}

const versionedKey = (id: string) => [...getQueryKey(getDefinition, { params: { id } }), 'versioned']

async function read(id: string, signal?: AbortSignal): Promise<VersionedDefinition> {
  const { answer, content, headers } = await requestWithResponse(
    getDefinition,
    { params: { id } },
    signal ? { signal } : {},
  )
  return { definition: answer, raw: isObject(content) ? content : answer, version: headers.get('etag') ?? undefined }
}

/** The definition of a server, read with its version. */
export function useDefinition(id: string) {
  return useQuery<VersionedDefinition, Refusal>({
    queryKey: versionedKey(id),
    queryFn: ({ signal }) => read(id, signal),
    refetchOnWindowFocus: false,
  })
}

/** Writing a definition: refused with ErrStaleVersion when it changed since it was read, unless `over`. */
export function useWriteDefinition(id: string) {
  const queries = useQueryClient()

  const write = useCallback(
    async ({ raw, version }: Versioned, { over = false }: { over?: boolean } = {}): Promise<string | undefined> => {
      const condition = over ? (await read(id)).version : version
      const headers: Record<string, string> = condition === undefined ? {} : { 'if-match': condition }
      const given = { params: { id }, body: proven(ServerDefinition, raw) }
      const written = await requestWithResponse(putDefinition, given, { headers })
      // The node runs what it last loaded.
      await request(reloadServer, { params: { id } })
      await queries.invalidateQueries({ queryKey: getQueryKey(getDefinition) })
      return written.headers.get('etag') ?? undefined
    },
    [id, queries],
  )
  /** Reads what is there now, changes it and writes it back. */
  const change = useCallback(
    async (edit: (raw: Raw) => Raw) => {
      const { raw, version } = await read(id)
      await write({ raw: edit(raw), version })
    },
    [id, write],
  )
  return { write, change }
}
