import { ServerDefinition } from '@innkeeper/contract/definitions/definition'
import { getDefinition, putDefinition } from '@innkeeper/contract/definitions/server-definition'
import { reloadServer } from '@innkeeper/contract/servers/node-servers'
import { useQueryClient } from '@tanstack/react-query'
import { request, requestVersioned, type VersionedResponse } from '../../api/request.ts'
import { getQueryKey, useVersionedApiQuery } from '../../api/use-api.ts'
import { assertValid, isObject, type JsonObject } from '../definition-editor/json-path.ts'
import type { WithVersion } from '../definition-editor/versioned-editor.tsx'

/** The parsed definition beside the JSON it was parsed from. */
export interface VersionedDefinition extends WithVersion {
  readonly definition: ServerDefinition
}

function toVersioned({ response, content, version }: VersionedResponse<ServerDefinition>): VersionedDefinition {
  return { definition: response, raw: isObject(content) ? content : response, version }
}

/** The definition of a server, read with its version. */
export function useDefinition(id: string) {
  return useVersionedApiQuery(getDefinition, { params: { id } }, { select: toVersioned, refetchOnWindowFocus: false })
}

/** Saves a definition and makes the node load it. Rejects with `ErrStaleVersion` when another version was saved since. */
export function useWriteDefinition(id: string) {
  const queries = useQueryClient()

  const write = async ({ raw, version }: WithVersion): Promise<string | undefined> => {
    const input = { params: { id }, body: assertValid(ServerDefinition, raw) }
    const saved = await requestVersioned(putDefinition, input, { precondition: { version } })
    // The node keeps using the definition that it loaded last.
    await request(reloadServer, { params: { id } })
    await queries.invalidateQueries({ queryKey: getQueryKey(getDefinition) })
    return saved.version
  }
  /** Applies an edit to the saved definition. */
  const update = async (edit: (raw: JsonObject) => JsonObject) => {
    const { raw, version } = toVersioned(await requestVersioned(getDefinition, { params: { id } }))
    await write({ raw: edit(raw), version })
  }
  return { write, update }
}
