import { listCatalog, type uploadTemplate } from '@innkeeper/contract/catalog'
import { Template } from '@innkeeper/contract/definition'
import type { Refusal } from '@innkeeper/contract/refusals'
import { getTemplate, listTemplates, putTemplate } from '@innkeeper/contract/templates'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { requestWithResponse } from '../../api/request.ts'
import { getQueryKey } from '../../api/use-api-query.ts'
import { assertValid, isObject, type JsonObject } from '../../features/definition-editor/json-path.ts'
import type { WithVersion } from '../../features/definition-editor/versioned-editor.tsx'

export async function readTemplate(name: string, signal?: AbortSignal): Promise<WithVersion> {
  const { response, content, headers } = await requestWithResponse(
    getTemplate,
    { params: { name } },
    signal ? { signal } : {},
  )
  return { raw: isObject(content) ? content : response, version: headers.get('etag') ?? undefined }
}

/** A template with its version. It is fetched again whenever its page opens, so that an editor starts with fresh data. */
export function useTemplate(name: string) {
  return useQuery<WithVersion, Refusal>({
    queryKey: [...getQueryKey(getTemplate, { params: { name } }), 'versioned'],
    queryFn: ({ signal }) => readTemplate(name, signal),
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
    gcTime: 0,
  })
}

/** Precondition of a write: the template has this version, or does not exist yet. */
export type WriteCondition = { readonly version: string | undefined } | 'new'

export function toConditionHeaders(condition: WriteCondition): Readonly<Record<string, string>> {
  if (condition === 'new') return { 'if-none-match': '*' }
  return condition.version === undefined ? {} : { 'if-match': condition.version }
}

/** Invalidates every query that a written template changes. */
export function useInvalidateTemplates() {
  const queries = useQueryClient()
  return async () => {
    const changed = [listTemplates, getTemplate, listCatalog]
    await Promise.all(changed.map((endpoint) => queries.invalidateQueries({ queryKey: getQueryKey(endpoint) })))
  }
}

interface WriteTemplateVariables {
  readonly name: string
  readonly raw: JsonObject
  readonly condition: WriteCondition
}

/**
 * Writes a template; resolves with its new version and rejects when the condition does not hold. `uploadTemplate` also
 * accepts templates that cannot run yet.
 */
export function useWriteTemplate(endpoint: typeof putTemplate | typeof uploadTemplate = putTemplate) {
  const invalidate = useInvalidateTemplates()
  return useMutation({
    mutationFn: async ({ name, raw, condition }: WriteTemplateVariables): Promise<string | undefined> => {
      const input = { params: { name }, body: assertValid(Template, raw) }
      const { headers } = await requestWithResponse(endpoint, input, { headers: toConditionHeaders(condition) })
      return headers.get('etag') ?? undefined
    },
    onSuccess: invalidate,
  })
}
