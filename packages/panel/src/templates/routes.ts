import { invalidCondition } from '@innkeeper/contract/definitions/definition-conditions'
import * as catalogCalls from '@innkeeper/contract/templates/catalog'
import * as calls from '@innkeeper/contract/templates/templates'
import { limits } from '@innkeeper/contract/text/limits'
import type { Principal } from '../access/principal.ts'
import type { NodesService } from '../nodes/nodes.ts'
import type { RegisterRoute } from '../routing/route-context.ts'
import type { CatalogService } from './catalog.ts'
import type { TemplatesService } from './templates.ts'

interface Services {
  readonly templates: TemplatesService
  readonly catalog: CatalogService
  /** The number of servers that the principal sees, by template. */
  readonly countServers: (principal: Principal) => Promise<ReadonlyMap<string, number>>
  readonly nodes: Pick<NodesService, 'missingPrograms'>
}

export function templateRoutes(
  registerRoute: RegisterRoute,
  { templates, catalog, countServers, nodes }: Services,
): void {
  registerRoute(calls.listTemplates, async ({ principal }) => templates.list(await countServers(principal)))
  registerRoute(calls.getTemplate, async ({ params, preconditions }) => {
    const { template, version } = await templates.get(params.name)
    preconditions.setVersion(version)
    return template
  })
  registerRoute(calls.findMissingPrograms, async ({ params }) => {
    const { template } = await templates.get(params.name)
    return nodes.missingPrograms(template.requirements?.binaries ?? [])
  })
  registerRoute(
    calls.putTemplate,
    async ({ principal, params, body, preconditions, audit }) => {
      // Templates of the index are imported unchanged; the response lists their problems.
      const invalid = invalidCondition(body)
      if (invalid) throw invalid
      preconditions.setVersion(await templates.put(principal, params.name, body, audit, preconditions))
    },
    { bodyBytes: limits.definitionBytes },
  )
  registerRoute(calls.deleteTemplate, ({ params, audit }) => templates.remove(params.name, audit))

  registerRoute(catalogCalls.listCatalog, () => catalog.list())
  registerRoute(catalogCalls.getCatalogTemplate, ({ params }) => catalog.get(params.name))
  registerRoute(
    catalogCalls.uploadTemplate,
    async ({ principal, params, body, preconditions, audit }) => {
      preconditions.setVersion(await catalog.upload(principal, params.name, body, audit, preconditions))
    },
    { bodyBytes: limits.definitionBytes },
  )
  registerRoute(catalogCalls.listImportable, () => catalog.names())
  registerRoute(catalogCalls.importTemplate, async ({ principal, params, preconditions, audit }) => {
    preconditions.setVersion(await catalog.import(principal, params.name, audit, preconditions))
  })
}
