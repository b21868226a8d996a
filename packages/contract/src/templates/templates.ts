import { z } from 'zod/mini'
import { endpoint, ifMatch } from '../api/endpoint.ts'
import { Environment, Template } from '../definitions/definition.ts'
import { TemplateName, TemplateReference } from '../text/names.ts'

/** A template in a list. */
export const TemplateSummary = z.extend(TemplateReference, {
  type: z.string(),
  supportedEnvironments: z.array(Environment),
  /** Number of servers created from it, of those that the user sees. */
  servers: z.int().check(z.minimum(0)),
})
export type TemplateSummary = z.infer<typeof TemplateSummary>

const Named = z.object({ name: TemplateName })

export const listTemplates = endpoint('GET', '/api/templates', {
  // To create a server, a user must select a template.
  access: { scope: 'templates.view', orScope: 'servers.create' },
  response: z.array(TemplateSummary),
})

/** Its version is in the `ETag` header. */
export const getTemplate = endpoint('GET', '/api/templates/:name', {
  // To create a server, a user must select a template.
  access: { scope: 'templates.view', orScope: 'servers.create' },
  params: Named,
  response: Template,
})

/**
 * Entries of `requirements.binaries` that the machine of each node does not have. Nodes that do not respond are
 * omitted. Irrelevant for containers.
 */
export const findMissingPrograms = endpoint('GET', '/api/templates/:name/programs', {
  access: { scope: 'servers.create' },
  params: Named,
  response: z.array(z.object({ node: z.number(), missing: z.array(z.string()) })),
})

/** Preconditions for replacing a template. */
export const preconditionHeaders = {
  ...ifMatch,
  'If-None-Match': '`*`: the template must be new; an existing one fails with `ErrDuplicateTemplateName`.',
} as const

/**
 * Creates or replaces a template. With `If-Match` an outdated version fails with ErrStaleVersion, whose metadata has
 * `by`, the user who changed it, if known. With `If-None-Match: *` an existing one fails with ErrDuplicateTemplateName.
 */
export const putTemplate = endpoint('PUT', '/api/templates/:name', {
  access: { scope: 'templates.edit' },
  audit: 'template.edit',
  params: Named,
  body: Template,
  headers: preconditionHeaders,
})

export const deleteTemplate = endpoint('DELETE', '/api/templates/:name', {
  access: { scope: 'templates.edit' },
  audit: 'template.delete',
  params: Named,
})
