import * as catalogueCalls from '@innkeeper/contract/catalogue'
import { invalidCondition } from '@innkeeper/contract/definition-conditions'
import { limits } from '@innkeeper/contract/limits'
import * as calls from '@innkeeper/contract/templates'
import type { Caller } from '../access/caller.ts'
import type { Serve } from '../access/serve.ts'
import type { NodesService } from '../nodes/nodes.ts'
import type { CatalogueService } from './catalogue.ts'
import type { TemplatesService } from './templates.ts'

interface Services {
  readonly templates: TemplatesService
  readonly catalogue: CatalogueService
  /** The number of servers that the caller sees, by the template that they were made from. */
  readonly countServers: (caller: Caller) => Promise<ReadonlyMap<string, number>>
  readonly nodes: Pick<NodesService, 'missingPrograms'>
}

export function templateRoutes(serve: Serve, { templates, catalogue, countServers, nodes }: Services): void {
  serve(calls.listTemplates, async ({ caller }) => templates.list(await countServers(caller)))
  serve(calls.getTemplate, async ({ params, versions }) => {
    const { template, version } = await templates.get(params.name)
    versions.tell(version)
    return template
  })
  serve(calls.findMissingPrograms, async ({ params }) => {
    const { template } = await templates.get(params.name)
    return nodes.missingPrograms(template.requirements?.binaries ?? [])
  })
  serve(
    calls.putTemplate,
    async ({ caller, params, body, versions, acting }) => {
      // What the index offers is imported as it is; the import says what cannot work.
      const invalid = invalidCondition(body)
      if (invalid) throw invalid
      versions.tell(await templates.put(caller, params.name, body, acting, versions))
    },
    { bodyBytes: limits.definitionBytes },
  )
  serve(calls.deleteTemplate, ({ params, acting }) => templates.remove(params.name, acting))

  serve(catalogueCalls.listCatalogue, () => catalogue.list())
  serve(catalogueCalls.getCatalogueTemplate, ({ params }) => catalogue.get(params.name))
  serve(
    catalogueCalls.uploadTemplate,
    async ({ caller, params, body, versions, acting }) => {
      versions.tell(await catalogue.upload(caller, params.name, body, acting, versions))
    },
    { bodyBytes: limits.definitionBytes },
  )
  serve(catalogueCalls.listImportable, () => catalogue.names())
  serve(catalogueCalls.importTemplate, async ({ caller, params, versions, acting }) => {
    versions.tell(await catalogue.import(caller, params.name, acting, versions))
  })
}
