import { isDeepStrictEqual } from 'node:util'
import { getEnvironments, Template } from '@innkeeper/contract/definitions/definition'
import { warningsOfDefinition } from '@innkeeper/contract/definitions/definition-problems'
import { Refusal } from '@innkeeper/contract/errors/refusals'
import type { Catalog, CatalogProblem, CatalogState } from '@innkeeper/contract/templates/catalog'
import { getSlug } from '@innkeeper/contract/templates/template-conversion'
import { TemplateName } from '@innkeeper/contract/text/names'
import type { Logger } from 'pino'
import { z } from 'zod'
import type { AuditContext } from '../access/audit-context.ts'
import type { PrincipalWithScope } from '../access/principal.ts'
import { cachedValue } from '../caching/cached-value.ts'
import type { VersionCondition } from '../database/versions.ts'
import type { SettingsService, TemplateIndex } from '../settings/settings.ts'
import { readBundled } from './bundled-files.ts'
import {
  findTemplates,
  type LoadedTemplate,
  type ParseJson,
  type TemplateCollection,
  toCatalogProblem,
  toCatalogWarning,
  validateAll,
} from './collection.ts'
import { isGzip, textsOfArchive } from './index-archive.ts'
import { fetchIndex, IndexError } from './index-fetch.ts'
import { getDigest, type TemplatesService, toView } from './templates.ts'

export const indexCacheMs = 5 * 60 * 1000

export type CatalogService = ReturnType<typeof catalogService>

interface Deps {
  readonly templates: TemplatesService
  readonly templatesDir: string
  /** The template index: a JSON index, or a `.tar.gz` of a repository. */
  readonly templateIndex: SettingsService['templateIndex']
  readonly parseJson: ParseJson
  readonly version: string
  readonly log: Logger
  readonly now: () => number
  /** Timeout of fetching the index. */
  readonly indexMs?: number
}

/** The index as it was fetched. Each panel has its own cache of five minutes; an outdated index is harmless. */
interface FetchedIndex extends TemplateCollection {
  readonly fetchedAt: number
}

type CatalogTemplate = LoadedTemplate & { readonly source: 'bundled' | 'index' }

/** Templates that can be imported: bundled ones, and those of the configured index. */
export function catalogService(deps: Deps) {
  const { templates, templatesDir, templateIndex, log, now } = deps
  let source: ReturnType<typeof indexSource> | undefined

  function indexSource(from: TemplateIndex) {
    const cached = cachedValue(() => readIndex(deps, from), { maxAgeMs: indexCacheMs, now })
    return { url: from.url, cached, last: undefined as FetchedIndex | undefined }
  }

  /** The index, at most five minutes old. When fetching fails, the last known index is used. */
  async function index(): Promise<(TemplateCollection & Partial<FetchedIndex>) | undefined> {
    const configured = await templateIndex()
    if (!configured) return undefined
    const { url } = configured
    if (source?.url.href !== url.href) source = indexSource(configured)
    const current = source
    try {
      current.last = await current.cached.get()
      return current.last
    } catch (error) {
      if (!(error instanceof IndexError)) throw error
      const lastIndex = current.last
      log.warn({ err: error, host: url.host }, 'the index of templates cannot be read')
      const unavailable = toCatalogProblem(url.host, new Refusal('ErrIndexUnavailable', { reason: error.message }))
      return { found: [], ...lastIndex, problems: [unavailable, ...(lastIndex?.problems ?? [])] }
    }
  }

  /** All templates by name; the index takes precedence over bundled ones. */
  async function available() {
    const [bundled, further] = await Promise.all([readBundled(templatesDir, log), index()])
    const all = new Map<string, CatalogTemplate>()
    for (const template of bundled.found) all.set(template.name, { ...template, source: 'bundled' })
    for (const template of further?.found ?? []) all.set(template.name, { ...template, source: 'index' })
    const problems: readonly CatalogProblem[] = [...bundled.problems, ...(further?.problems ?? [])]
    return { all, problems, fetchedAt: further?.fetchedAt }
  }

  async function find(name: string): Promise<CatalogTemplate> {
    const { all, problems } = await available()
    const found = all.get(name)
    if (found) return found
    const unavailable = problems.find(({ code }) => code === 'ErrIndexUnavailable')
    if (unavailable) throw new Refusal('ErrIndexUnavailable', unavailable.metadata)
    throw new Refusal('ErrNoTemplate', { template: name })
  }

  return {
    async list(): Promise<Catalog> {
      const [{ all, problems, fetchedAt }, stored, digests] = await Promise.all([
        available(),
        templates.all(),
        templates.officialDigests(),
      ])
      const storedByName = new Map(stored.map((template) => [template.name, template]))
      const entries = [...all.values()].map((offered) =>
        toEntry(offered, storedByName.get(offered.name), digests.get(offered.name)),
      )
      entries.sort((a, b) => (a.name < b.name ? -1 : 1))
      const at = fetchedAt ? { fetchedAt: new Date(fetchedAt).toISOString() } : {}
      return { entries, problems: [...problems], ...at }
    },

    async names(): Promise<string[]> {
      return [...(await available()).all.keys()].toSorted()
    },

    async get(name: string): Promise<Template> {
      return toView(Template.parse((await find(name)).template))
    },

    /** Imports a template unchanged. Only administrators may add new containers, as in `put`. */
    async import(
      principal: PrincipalWithScope<'templates.edit'>,
      name: string,
      audit: AuditContext,
      condition: VersionCondition,
    ): Promise<string> {
      const { template, source } = await find(name)
      return templates.put(principal, name, template, audit, condition, { isImported: true, source })
    },

    /** Imports a template from a file. */
    async upload(
      principal: PrincipalWithScope<'templates.edit'>,
      name: string,
      template: Template,
      audit: AuditContext,
      condition: VersionCondition,
    ): Promise<string> {
      return templates.put(principal, name, template, audit, condition, { isImported: true })
    },
  }
}

/** Parses an index: a list of templates with their names, bare or under `templates`. */
const Index = z.union([z.array(z.unknown()), z.looseObject({ templates: z.array(z.unknown()) })])
const Named = z.looseObject({ name: z.string() })

function templatesOfIndex(bytes: Buffer, parse: ParseJson): TemplateCollection {
  if (bytes.subarray(0, 2).toString() === 'PK') throw new IndexError('it is a zip archive: use .tar.gz')
  const content = getContent(bytes, parse)
  const read = Index.safeParse(content)
  if (!read.success) throw new IndexError('it is neither a list of templates nor a .tar.gz archive')
  const listed = Array.isArray(read.data) ? read.data : read.data.templates
  return validateAll(
    listed.map((template, at) => {
      const named = Named.safeParse(template)
      return { name: getName(named.data?.name ?? '') || `templates[${at}]`, read: () => template }
    }),
  )
}

/** The name of a template in a list, converted to a valid name. */
function getName(text: string): string {
  const name = text.toLowerCase()
  return TemplateName.safeParse(name).success ? name : getSlug(name)
}

function getContent(bytes: Buffer, parse: ParseJson): unknown {
  try {
    return parse(new TextDecoder().decode(bytes))
  } catch (error) {
    throw new IndexError('it is not valid JSON', { cause: error })
  }
}

/**
 * Compares contents regardless of order. With `isImported`, the offered version is the one last seeded or imported, so
 * a difference is an edit.
 */
function getState(
  offered: Template,
  stored: Template | undefined,
  { isImported }: { readonly isImported: boolean },
): CatalogState {
  if (!stored) return 'new'
  if (isDeepStrictEqual(comparable(offered), comparable(stored))) return 'same'
  return isImported ? 'edited' : 'changed'
}

function comparable(template: Template): unknown {
  const { name: _, readme, ...body } = toView(template)
  return JSON.parse(JSON.stringify({ ...body, readme: readme || undefined }))
}

/** An entry of the catalog; `digest` is that of the version last seeded or imported. */
function toEntry(
  { name, template: json, source }: CatalogTemplate,
  stored: Template | undefined,
  digest: string | undefined,
): Catalog['entries'][number] {
  const template = Template.parse(json)
  return {
    name,
    display: template.display ?? undefined,
    type: template.type,
    supportedEnvironments: [...getEnvironments(template)],
    readme: template.readme ?? undefined,
    state: getState(template, stored, { isImported: getDigest(JSON.stringify({ ...json, name })) === digest }),
    warnings: warningsOfDefinition(template).map(toCatalogWarning),
    source,
  }
}

async function readIndex(
  { parseJson, version, now, indexMs }: Pick<Deps, 'parseJson' | 'version' | 'now' | 'indexMs'>,
  { url, mayBePrivate }: TemplateIndex,
): Promise<FetchedIndex> {
  const timeout = indexMs === undefined ? {} : { totalMs: indexMs }
  const bytes = await fetchIndex(url, { version, mayBePrivate, ...timeout })
  const collection = isGzip(bytes)
    ? findTemplates(await textsOfArchive(bytes), parseJson)
    : templatesOfIndex(bytes, parseJson)
  return { ...collection, fetchedAt: now() }
}
