import { Template } from '@innkeeper/contract/definition'
import type { Refusal } from '@innkeeper/contract/refusals'
import { getTemplate, listTemplates, putTemplate } from '@innkeeper/contract/templates'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useCallback } from 'react'
import { exchange } from '../../api/request.ts'
import { keyOf } from '../../api/use-call.ts'
import { isObject, proven, type Raw } from '../../features/definition-editor/raw.ts'

/** A template as it came, and the version it had then. */
export interface VersionedTemplate {
  readonly raw: Raw
  readonly version: string | undefined
}

export async function readTemplate(name: string, signal?: AbortSignal): Promise<VersionedTemplate> {
  const { answer, content, headers } = await exchange(getTemplate, { params: { name } }, signal ? { signal } : {})
  return { raw: isObject(content) ? content : answer, version: headers.get('etag') ?? undefined }
}

/** A template, read anew whenever its page is opened: an editor begins with what there is. */
export function useTemplate(name: string) {
  return useQuery<VersionedTemplate, Refusal>({
    queryKey: [...keyOf(getTemplate, { params: { name } }), 'versioned'],
    queryFn: ({ signal }) => readTemplate(name, signal),
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
    gcTime: 0,
  })
}

/** What must hold of the one that is there: it has this version, or there is none. */
export type Condition = { readonly version: string | undefined } | 'new'

/** Writes a template; answers its new version. Refused when what is there is not what was seen. */
export function useWriteTemplate() {
  const queries = useQueryClient()
  return useCallback(
    async (name: string, raw: Raw, condition: Condition): Promise<string | undefined> => {
      const version = condition === 'new' ? undefined : condition.version
      const headers: Record<string, string> =
        condition === 'new' ? { 'if-none-match': '*' } : version === undefined ? {} : { 'if-match': version }
      const given = { params: { name }, body: proven(Template, raw) }
      const written = await exchange(putTemplate, given, { headers })
      for (const call of [listTemplates, getTemplate]) await queries.invalidateQueries({ queryKey: keyOf(call) })
      return written.headers.get('etag') ?? undefined
    },
    [queries],
  )
}
