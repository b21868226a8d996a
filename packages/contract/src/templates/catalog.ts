import { z } from 'zod/mini'
import { endpoint } from '../api/endpoint.ts'
import { Environment, Template } from '../definitions/definition.ts'
import { TemplateName } from '../text/names.ts'
import { preconditionHeaders } from './templates.ts'

/**
 * Result of comparing a catalog template with the stored template of the same name. `edited`: the stored template was
 * edited since this version was imported. `changed`: the catalog has another version, an update.
 */
export const catalogStates = ['new', 'same', 'edited', 'changed'] as const
export type CatalogState = (typeof catalogStates)[number]

/** Explanation of a problem: in English, and as an error code with metadata for translation. */
const Reason = z.object({
  reason: z.string(),
  code: z.string(),
  metadata: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])),
})
export type CatalogWarning = z.infer<typeof Reason>

/** A template that can be imported: bundled, or from the configured index. */
export const CatalogEntry = z.object({
  name: z.string(),
  display: z.optional(z.string()),
  type: z.string(),
  supportedEnvironments: z.array(Environment),
  /** Markdown. */
  readme: z.optional(z.string()),
  state: z.enum(catalogStates),
  /** Problems that keep it from running as it is; it can still be imported. */
  warnings: z.array(Reason),
  source: z.enum(['bundled', 'index']),
})
export type CatalogEntry = z.infer<typeof CatalogEntry>

/** A template that cannot be imported, or an index that cannot be read. */
export const CatalogProblem = z.extend(Reason, {
  /** Name of the template, or host of the index. */
  name: z.string(),
})
export type CatalogProblem = z.infer<typeof CatalogProblem>

export const Catalog = z.object({
  entries: z.array(CatalogEntry),
  problems: z.array(CatalogProblem),
  /** When the index was fetched, ISO 8601; absent without an index. */
  fetchedAt: z.optional(z.string()),
})
export type Catalog = z.infer<typeof Catalog>

const Named = z.object({ name: TemplateName })

/** Templates that can be imported, by name, and problems. The index is fetched at most every five minutes. */
export const listCatalog = endpoint('GET', '/api/catalog/templates', {
  access: { scope: 'templates.edit' },
  response: Catalog,
})

/** One catalog template, to compare it with the stored one. */
export const getCatalogTemplate = endpoint('GET', '/api/catalog/templates/:name', {
  access: { scope: 'templates.edit' },
  params: Named,
  response: Template,
  errorStatuses: [502],
})

/** Names of the templates that can be imported. */
export const listImportable = endpoint('POST', '/api/templates/import', {
  access: { scope: 'templates.edit' },
  audit: false,
  response: z.array(z.string()),
})

/**
 * Imports a template from a file, including one that cannot run as it is. It gets the name from the path, whatever name
 * the file contains.
 */
export const uploadTemplate = endpoint('POST', '/api/catalog/templates/:name', {
  access: { scope: 'templates.edit' },
  audit: 'template.import',
  params: Named,
  body: Template,
  headers: preconditionHeaders,
})

/**
 * Imports a template from the catalog and overwrites a stored one of the same name. `If-Match` and `If-None-Match: *`
 * work as in `putTemplate`.
 */
export const importTemplate = endpoint('POST', '/api/templates/import/:name', {
  access: { scope: 'templates.edit' },
  audit: 'template.import',
  params: Named,
  headers: preconditionHeaders,
  errorStatuses: [502],
})
