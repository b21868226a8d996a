import { isDeepStrictEqual } from 'node:util'
import type { Catalogue, CatalogueProblem, CatalogueState } from '@innkeeper/contract/catalogue'
import { environmentsOf, Template } from '@innkeeper/contract/definition'
import { problemsOfDefinition } from '@innkeeper/contract/definition-problems'
import { limits } from '@innkeeper/contract/limits'
import { TemplateName } from '@innkeeper/contract/names'
import { Refusal } from '@innkeeper/contract/refusals'
import { slugOf } from '@innkeeper/contract/template-conversion'
import type { Logger } from 'pino'
import { z } from 'zod'
import type { AuditContext } from '../access/audit-context.ts'
import type { PrincipalWithScope } from '../access/principal.ts'
import type { Preconditions } from '../access/route-context.ts'
import { readBundled } from './bundled-files.ts'
import {
  type Collection,
  type LoadedTemplate,
  type ParseJson,
  problemOf,
  reasonOf,
  templatesIn,
  validateAll,
} from './collection.ts'
import { isGzip, textsOfArchive } from './index-archive.ts'
import { fetchIndex, IndexFailure } from './index-fetch.ts'
import { digestOf, type TemplatesService, toView } from './templates.ts'

export type CatalogueService = ReturnType<typeof catalogueService>

interface Deps {
  readonly templates: TemplatesService
  readonly templatesDir: string
  /** Where further templates are: a JSON index, or a `.tar.gz` of a repository. */
  readonly indexUrl?: string | undefined
  readonly parseJson: ParseJson
  readonly version: string
  readonly log: Logger
  readonly now: () => number
  /** How long the index may take. */
  readonly indexMs?: number
}

/** An index as it was read. Every panel keeps its own for five minutes: an older one is only an older offer. */
interface CachedIndex extends Collection {
  readonly at: number
}

type CatalogueTemplate = LoadedTemplate & { readonly source: 'bundled' | 'index' }

/** The templates that can be imported: those that come with the product, and those of a configured index. */
export function catalogueService(deps: Deps) {
  const { templates, templatesDir, indexUrl, parseJson, version, log, now, indexMs } = deps
  const url = indexUrl === undefined ? undefined : new URL(indexUrl)
  let cachedIndex: CachedIndex | undefined
  let reading: Promise<CachedIndex> | undefined

  /** The index, as it was at most five minutes ago. One that cannot be read now does not hide what is known of it. */
  async function index(): Promise<CachedIndex | undefined> {
    if (!url) return undefined
    if (cachedIndex && now() - cachedIndex.at < limits.templateIndexKeptMs) return cachedIndex
    // Whoever asks meanwhile waits for the same answer.
    reading ??= readIndex(url).finally(() => (reading = undefined))
    try {
      cachedIndex = await reading
      return cachedIndex
    } catch (error) {
      if (!(error instanceof IndexFailure)) throw error
      log.warn({ err: error, host: url.host }, 'the index of templates cannot be read')
      const unavailable = problemOf(url.host, new Refusal('ErrIndexUnavailable', { reason: error.message }))
      return {
        found: cachedIndex?.found ?? [],
        problems: [unavailable, ...(cachedIndex?.problems ?? [])],
        at: cachedIndex?.at ?? 0,
      }
    }
  }

  async function readIndex(from: URL): Promise<CachedIndex> {
    const bytes = await fetchIndex(from, { version, ...(indexMs === undefined ? {} : { totalMs: indexMs }) })
    const collection = isGzip(bytes)
      ? templatesIn(await textsOfArchive(bytes), parseJson)
      : templatesOfIndex(bytes, parseJson)
    return { ...collection, at: now() }
  }

  /** Everything on offer, by name; what the index has goes before what came with the product. */
  async function offered() {
    const [bundled, further] = await Promise.all([readBundled(templatesDir, log), index()])
    const all = new Map<string, CatalogueTemplate>()
    for (const one of bundled.found) all.set(one.name, { ...one, source: 'bundled' })
    for (const one of further?.found ?? []) all.set(one.name, { ...one, source: 'index' })
    const problems: readonly CatalogueProblem[] = [...bundled.problems, ...(further?.problems ?? [])]
    return { all, problems, fetchedAt: further?.at }
  }

  async function one(name: string): Promise<CatalogueTemplate> {
    const { all, problems } = await offered()
    const found = all.get(name)
    if (found) return found
    const unavailable = problems.find(({ code }) => code === 'ErrIndexUnavailable')
    if (unavailable) throw new Refusal('ErrIndexUnavailable', unavailable.metadata)
    throw new Refusal('ErrNoTemplate', { template: name })
  }

  return {
    async list(): Promise<Catalogue> {
      const [{ all, problems, fetchedAt }, held, digests] = await Promise.all([
        offered(),
        templates.all(),
        templates.officialDigests(),
      ])
      const here = new Map(held.map((template) => [template.name, template]))
      const entries = [...all.values()].map(({ name, given, source }) => {
        const template = Template.parse(given)
        return {
          name,
          display: template.display ?? undefined,
          type: template.type,
          supportedEnvironments: [...environmentsOf(template)],
          readme: template.readme ?? undefined,
          state: stateOf(template, here.get(name), {
            isImported: digestOf(JSON.stringify({ ...given, name })) === digests.get(name),
          }),
          warnings: problemsOfDefinition(template).map(reasonOf),
          source,
        }
      })
      entries.sort((a, b) => (a.name < b.name ? -1 : 1))
      const at = fetchedAt ? { fetchedAt: new Date(fetchedAt).toISOString() } : {}
      return { entries, problems: [...problems], ...at }
    },

    async names(): Promise<string[]> {
      return [...(await offered()).all.keys()].toSorted()
    },

    async get(name: string): Promise<Template> {
      return toView(Template.parse((await one(name)).given))
    },

    /** Takes a template over as it was written. Containers that are not here yet come by administrators, as in `put`. */
    async import(
      principal: PrincipalWithScope<'templates.edit'>,
      name: string,
      audit: AuditContext,
      versions: Preconditions,
    ): Promise<string> {
      const { given, source } = await one(name)
      return templates.put(principal, name, given, audit, versions, { isImported: true, source })
    },

    /** Takes a template over from a file. */
    async upload(
      principal: PrincipalWithScope<'templates.edit'>,
      name: string,
      given: Template,
      audit: AuditContext,
      versions: Preconditions,
    ): Promise<string> {
      return templates.put(principal, name, given, audit, versions, { isImported: true })
    },
  }
}

/** An index is a list of whole templates, each with its name, bare or under `templates`. */
const Index = z.union([z.array(z.unknown()), z.looseObject({ templates: z.array(z.unknown()) })])
const Named = z.looseObject({ name: z.string() })

function templatesOfIndex(bytes: Buffer, parse: ParseJson): Collection {
  if (bytes.subarray(0, 2).toString() === 'PK') throw new IndexFailure('it is a zip archive: use a .tar.gz')
  const content = contentOf(bytes, parse)
  const read = Index.safeParse(content)
  if (!read.success) throw new IndexFailure('it is neither a list of templates nor a .tar.gz')
  const listed = Array.isArray(read.data) ? read.data : read.data.templates
  return validateAll(
    listed.map((template, at) => {
      const named = Named.safeParse(template)
      return { name: nameOf(named.data?.name ?? '') || `templates[${at}]`, read: () => template }
    }),
  )
}

/** The name by which one of a list is kept; one that cannot be a name becomes one. */
function nameOf(given: string): string {
  const name = given.toLowerCase()
  return TemplateName.safeParse(name).success ? name : slugOf(name)
}

function contentOf(bytes: Buffer, parse: ParseJson): unknown {
  try {
    return parse(new TextDecoder().decode(bytes))
  } catch (error) {
    throw new IndexFailure('it is no valid JSON', { cause: error })
  }
}

/**
 * Compares the contents, whatever their order. With `isImported`, the offered version is the one that was last seeded or
 * imported: what differs was edited here.
 */
function stateOf(
  offered: Template,
  held: Template | undefined,
  { isImported }: { readonly isImported: boolean },
): CatalogueState {
  if (!held) return 'new'
  if (isDeepStrictEqual(comparable(offered), comparable(held))) return 'same'
  return isImported ? 'edited' : 'changed'
}

function comparable(template: Template): unknown {
  const { name: _, readme, ...said } = toView(template)
  return JSON.parse(JSON.stringify({ ...said, readme: readme || undefined }))
}
