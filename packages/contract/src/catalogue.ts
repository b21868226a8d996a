import { z } from 'zod'
import { call } from './call.ts'
import { Environment, Template } from './definition.ts'
import { TemplateName } from './names.ts'
import { asSeen } from './templates.ts'

/**
 * Compares a template of the catalogue with the stored one of the same name. `edited`: it is the version that was last
 * imported, and the stored one was edited since. `changed`: it is another version, an update.
 */
export const catalogueStates = ['new', 'same', 'edited', 'changed'] as const
export type CatalogueState = (typeof catalogueStates)[number]

/** Why something is not as it should be: in English, and as a code with its values, for translation. */
const Reason = z.object({
  reason: z.string(),
  code: z.string(),
  metadata: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])),
})
export type CatalogueWarning = z.infer<typeof Reason>

/** A template that can be imported: one that comes with the product, or one of the index that was configured. */
export const CatalogueEntry = z.object({
  name: z.string(),
  display: z.string().optional(),
  type: z.string(),
  supportedEnvironments: z.array(Environment),
  /** Markdown. */
  readme: z.string().optional(),
  state: z.enum(catalogueStates),
  /** What keeps it from running as it is written; it can be imported all the same. */
  warnings: z.array(Reason),
  source: z.enum(['bundled', 'index']),
})
export type CatalogueEntry = z.infer<typeof CatalogueEntry>

/** Something that cannot be imported, or a whole index that cannot be read. */
export const CatalogueProblem = Reason.extend({
  /** Of the template, or the host of the index. */
  name: z.string(),
})
export type CatalogueProblem = z.infer<typeof CatalogueProblem>

export const Catalogue = z.object({
  entries: z.array(CatalogueEntry),
  problems: z.array(CatalogueProblem),
  /** When the index was read, ISO 8601; absent without one. */
  fetchedAt: z.string().optional(),
})
export type Catalogue = z.infer<typeof Catalogue>

const Named = z.object({ name: TemplateName })

/** What can be imported, by name, and what is broken in it. An index is read at most every five minutes. */
export const listCatalogue = call({
  method: 'GET',
  path: '/api/catalogue/templates',
  access: { scope: 'templates.edit' },
  answer: Catalogue,
})

/** One of them, to be compared with what is here. */
export const getCatalogueTemplate = call({
  method: 'GET',
  path: '/api/catalogue/templates/:name',
  access: { scope: 'templates.edit' },
  params: Named,
  answer: Template,
  refuses: [502],
})

/** The names of the templates that can be imported. */
export const listImportable = call({
  method: 'POST',
  path: '/api/templates/import',
  access: { scope: 'templates.edit' },
  answer: z.array(z.string()),
})

/**
 * Takes a template over from a file, as `importTemplate` does from the catalogue: also one that cannot run as it is written.
 * Its name is that of the path, whatever it calls itself.
 */
export const uploadTemplate = call({
  method: 'POST',
  path: '/api/catalogue/templates/:name',
  access: { scope: 'templates.edit' },
  params: Named,
  body: Template,
  headers: asSeen,
})

/**
 * Takes a template over from the catalogue. One of the same name that is here is overwritten; with `If-Match` and
 * `If-None-Match: *` only when it is what the caller has seen, as in `putTemplate`.
 */
export const importTemplate = call({
  method: 'POST',
  path: '/api/templates/import/:name',
  access: { scope: 'templates.edit' },
  params: Named,
  headers: asSeen,
  refuses: [502],
})
