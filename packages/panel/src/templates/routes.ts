import { limits } from '@innkeeper/contract/limits'
import * as calls from '@innkeeper/contract/templates'
import type { Serve } from '../access/serve.ts'
import type { TemplatesService } from './templates.ts'

export function templateRoutes(serve: Serve, templates: TemplatesService): void {
  serve(calls.listTemplates, () => templates.list())
  serve(calls.getTemplate, async ({ params, versions }) => {
    const { template, version } = await templates.get(params.name)
    versions.tell(version)
    return template
  })
  serve(
    calls.putTemplate,
    async ({ caller, params, body, versions, acting }) => {
      versions.tell(await templates.put(caller, params.name, body, acting, versions))
    },
    { bodyBytes: limits.definitionBytes },
  )
  serve(calls.deleteTemplate, ({ params, acting }) => templates.remove(params.name, acting))
}
