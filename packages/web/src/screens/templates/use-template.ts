import { listCatalogue, type uploadTemplate } from '@innkeeper/contract/catalogue'
import { Template } from '@innkeeper/contract/definition'
import type { Refusal } from '@innkeeper/contract/refusals'
import { getTemplate, listTemplates, putTemplate } from '@innkeeper/contract/templates'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useCallback } from 'react'
import { requestWithResponse } from '../../api/request.ts'
import { getQueryKey } from '../../api/use-api-query.ts'
import { isObject, proven, type Raw } from '../../features/definition-editor/raw.ts'
import type { Versioned } from '../../features/definition-editor/versioned-editor.tsx'

export async function readTemplate(name: string, signal?: AbortSignal): Promise<Versioned> {
  const { answer, content, headers } = await requestWithResponse(
    getTemplate,
    { params: { name } },
    signal ? { signal } : {},
  )
  return { raw: isObject(content) ? content : answer, version: headers.get('etag') ?? undefined }
}

/** A template, read anew whenever its page is opened: an editor begins with what there is. */
export function useTemplate(name: string) {
  return useQuery<Versioned, Refusal>({
    queryKey: [...getQueryKey(getTemplate, { params: { name } }), 'versioned'],
    queryFn: ({ signal }) => readTemplate(name, signal),
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
    gcTime: 0,
  })
}

/** What must hold of the one that is there: it has this version, or there is none. */
export type Condition = { readonly version: string | undefined } | 'new'

export function headersOf(condition: Condition): Readonly<Record<string, string>> {
  if (condition === 'new') return { 'if-none-match': '*' }
  return condition.version === undefined ? {} : { 'if-match': condition.version }
}

/**
 * Writes a template with one of these calls; answers its new version. Refused when what is there is not what was seen; one
 * that is uploaded may hold what cannot run.
 */
export function useWriteTemplate(call: typeof putTemplate | typeof uploadTemplate = putTemplate) {
  const queries = useQueryClient()
  return useCallback(
    async (name: string, raw: Raw, condition: Condition): Promise<string | undefined> => {
      const given = { params: { name }, body: proven(Template, raw) }
      const written = await requestWithResponse(call, given, { headers: headersOf(condition) })
      for (const stale of [listTemplates, getTemplate, listCatalogue])
        await queries.invalidateQueries({ queryKey: getQueryKey(stale) })
      return written.headers.get('etag') ?? undefined
    },
    [queries, call],
  )
}
