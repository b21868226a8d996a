import { Template } from '@innkeeper/contract/definitions/definition'
import { listCatalog, type uploadTemplate } from '@innkeeper/contract/templates/catalog'
import { getTemplate, listTemplates, putTemplate } from '@innkeeper/contract/templates/templates'
import { type Precondition, requestVersioned, type VersionedResponse } from '../../api/request.ts'
import { useAction } from '../../api/use-action.ts'
import { useVersionedApiQuery } from '../../api/use-api.ts'
import { assertValid, isObject, type JsonObject } from '../../features/definition-editor/json-path.ts'
import type { WithVersion } from '../../features/definition-editor/versioned-editor.tsx'

function toRaw({ response, content, version }: VersionedResponse<Template>): WithVersion {
  return { raw: isObject(content) ? content : response, version }
}

export async function readTemplate(name: string): Promise<WithVersion> {
  return toRaw(await requestVersioned(getTemplate, { params: { name } }))
}

/** A template with its version. It is fetched again whenever its page opens, so that an editor starts with fresh data. */
export function useTemplate(name: string, options: { readonly enabled?: boolean } = {}) {
  return useVersionedApiQuery(
    getTemplate,
    { params: { name } },
    { ...options, select: toRaw, refetchOnWindowFocus: false, refetchOnReconnect: false, gcTime: 0 },
  )
}

/** The endpoints whose queries a written template changes. */
export const templateEndpoints = [listTemplates, getTemplate, listCatalog]

interface WriteTemplateVariables {
  readonly name: string
  readonly raw: JsonObject
  readonly precondition: Precondition
}

/**
 * Writes a template; resolves with its new version and rejects when the precondition does not hold. `uploadTemplate` also
 * accepts templates that cannot run yet.
 */
export function useWriteTemplate(endpoint: typeof putTemplate | typeof uploadTemplate = putTemplate) {
  return useAction(
    async ({ name, raw, precondition }: WriteTemplateVariables) => {
      const input = { params: { name }, body: assertValid(Template, raw) }
      return (await requestVersioned(endpoint, input, { precondition })).version
    },
    { invalidates: templateEndpoints },
  )
}
