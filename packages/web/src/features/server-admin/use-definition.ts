import { ServerDefinition } from '@innkeeper/contract/definition'
import { reloadServer } from '@innkeeper/contract/node-servers'
import type { Refusal } from '@innkeeper/contract/refusals'
import { getDefinition, putDefinition } from '@innkeeper/contract/server-definition'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { request, requestWithResponse } from '../../api/request.ts'
import { getQueryKey, ifMatch } from '../../api/use-api-query.ts'
import { assertValid, isObject, type JsonObject } from '../definition-editor/json-path.ts'
import type { WithVersion } from '../definition-editor/versioned-editor.tsx'

/** The parsed definition beside the JSON it was parsed from. */
export interface VersionedDefinition extends WithVersion {
  readonly definition: ServerDefinition
}

const versionedKey = (id: string) => [...getQueryKey(getDefinition, { params: { id } }), 'versioned']

async function read(id: string, signal?: AbortSignal): Promise<VersionedDefinition> {
  const { response, content, headers } = await requestWithResponse(
    getDefinition,
    { params: { id } },
    signal ? { signal } : {},
  )
  return {
    definition: response,
    raw: isObject(content) ? content : response,
    version: headers.get('etag') ?? undefined,
  }
}

/** The definition of a server, read with its version. */
export function useDefinition(id: string) {
  return useQuery<VersionedDefinition, Refusal>({
    queryKey: versionedKey(id),
    queryFn: ({ signal }) => read(id, signal),
    refetchOnWindowFocus: false,
  })
}

/** Saves a definition and makes the node load it. Rejects with `ErrStaleVersion` when another version was saved since. */
export function useWriteDefinition(id: string) {
  const queries = useQueryClient()

  const write = async ({ raw, version }: WithVersion): Promise<string | undefined> => {
    const input = { params: { id }, body: assertValid(ServerDefinition, raw) }
    const response = await requestWithResponse(putDefinition, input, { headers: ifMatch(version) })
    // The node keeps using the definition that it loaded last.
    await request(reloadServer, { params: { id } })
    await queries.invalidateQueries({ queryKey: getQueryKey(getDefinition) })
    return response.headers.get('etag') ?? undefined
  }
  /** Applies an edit to the saved definition. */
  const update = async (edit: (raw: JsonObject) => JsonObject) => {
    const { raw, version } = await read(id)
    await write({ raw: edit(raw), version })
  }
  return { write, update }
}
