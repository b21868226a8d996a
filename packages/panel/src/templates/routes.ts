import { limits } from '@innkeeper/contract/limits'
import * as calls from '@innkeeper/contract/templates'
import type { Serve } from '../access/serve.ts'
import type { TemplatesService } from './templates.ts'

export function templateRoutes(serve: Serve, templates: TemplatesService): void {
  serve(calls.listTemplates, () => templates.list())
  serve(calls.getTemplate, ({ params }) => templates.get(params.name))
  serve(calls.putTemplate, ({ caller, params, body, acting }) => templates.put(caller, params.name, body, acting), {
    bodyBytes: limits.definitionBytes,
  })
  serve(calls.deleteTemplate, ({ params, acting }) => templates.remove(params.name, acting))
}
