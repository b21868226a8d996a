import { z } from 'zod'
import { call, ifMatch } from './call.ts'
import { Environment, Template } from './definition.ts'
import { TemplateName } from './names.ts'

/** ID and display name of a template. */
export const TemplateReference = z.object({ name: z.string(), display: z.string().optional() })
export type TemplateReference = z.infer<typeof TemplateReference>

/** A template as a list shows it. */
export const TemplateSummary = TemplateReference.extend({
  type: z.string(),
  supportedEnvironments: z.array(Environment),
  /** How many servers that the user sees were made from it. */
  servers: z.number().int().min(0),
})
export type TemplateSummary = z.infer<typeof TemplateSummary>

const Named = z.object({ name: TemplateName })

export const listTemplates = call({
  method: 'GET',
  path: '/api/templates',
  // Whoever creates servers chooses one.
  access: { scope: 'templates.view', orScope: 'servers.create' },
  answer: z.array(TemplateSummary),
})

/** Its version is in the `ETag` header. */
export const getTemplate = call({
  method: 'GET',
  path: '/api/templates/:name',
  // Whoever creates servers chooses one.
  access: { scope: 'templates.view', orScope: 'servers.create' },
  params: Named,
  answer: Template,
})

/**
 * The programs that a template needs and the machine of a node does not have, as `requirements.binaries` names them. Nodes
 * that do not answer are left out. In a container they do not matter.
 */
export const findMissingPrograms = call({
  method: 'GET',
  path: '/api/templates/:name/programs',
  access: { scope: 'servers.create' },
  params: Named,
  answer: z.array(z.object({ node: z.number(), missing: z.array(z.string()) })),
})

/** Headers with which a template is replaced only when it is what the caller has seen. */
export const asSeen = {
  ...ifMatch,
  'If-None-Match': '`*`: it must be new; one that exists is refused with `ErrDuplicateTemplateName`.',
} as const

/**
 * Creates or replaces. With `If-Match` an outdated version is refused with ErrStaleVersion, whose metadata says `by` whom
 * it was changed where that is known; with `If-None-Match: *` an existing one with ErrDuplicateTemplateName.
 */
export const putTemplate = call({
  method: 'PUT',
  path: '/api/templates/:name',
  access: { scope: 'templates.edit' },
  params: Named,
  body: Template,
  headers: asSeen,
})

export const deleteTemplate = call({
  method: 'DELETE',
  path: '/api/templates/:name',
  access: { scope: 'templates.edit' },
  params: Named,
})
