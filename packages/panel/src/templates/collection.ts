import type { CatalogueProblem, CatalogueWarning } from '@innkeeper/contract/catalogue'
import { Template } from '@innkeeper/contract/definition'
import { limits } from '@innkeeper/contract/limits'
import { TemplateName } from '@innkeeper/contract/names'
import { Refusal } from '@innkeeper/contract/refusals'
import { isOldTemplate } from '@innkeeper/contract/template-conversion'
import { validate } from '@innkeeper/contract/validate'

/** A template that was found somewhere, as it was written there, with its name and readme. */
export interface LoadedTemplate {
  readonly name: string
  readonly given: Template
}

/** What a folder, an archive or an index holds: what can be used, and what is wrong with the rest. */
export interface Collection {
  readonly found: readonly LoadedTemplate[]
  readonly problems: readonly CatalogueProblem[]
}

/** Reads one text as JSON, with all that must not get in refused. */
export type ParseJson = (text: string) => unknown

/** These lie beside templates and are none: what they are tested with, and how they are written. */
const ignoredFiles = ['data.json', 'spec.json']

/**
 * The templates among files by path: in each folder that does not begin with a dot, `<x>.json` is the template `x`, in
 * small letters, and `<x>.md`, else `README.md`, its readme. A folder that all files are in, as in a snapshot of a
 * repository, does not count.
 */
export function templatesIn(files: ReadonlyMap<string, string>, parse: ParseJson): Collection {
  const inner = withoutCommonFolder(files)
  const written = [...inner].filter(([path]) => isTemplate(path)).toSorted(([a], [b]) => (a < b ? -1 : 1))
  return validateAll(
    written.map(([path, text]) => {
      const [folder = '', file = ''] = path.split('/')
      const stem = file.slice(0, -'.json'.length)
      const readme = inner.get(`${folder}/${stem}.md`) ?? inner.get(`${folder}/README.md`)
      return { name: stem.toLowerCase(), read: () => parse(text), readme }
    }),
  )
}

/** A template that is still to be looked at. */
export interface RawTemplate {
  readonly name: string
  readonly read: () => unknown
  readonly readme?: string | undefined
}

/** Judges each by itself: a broken one is named with what is wrong, and the others are found all the same. */
export function validateAll(written: readonly RawTemplate[]): Collection {
  const found = new Map<string, LoadedTemplate>()
  const problems: CatalogueProblem[] = []
  for (const { name, read, readme } of written) {
    try {
      if (found.has(name)) throw new Refusal('ErrTwiceInIndex')
      found.set(name, { name, given: validateTemplate(name, read(), readme) })
    } catch (error) {
      problems.push(problemOf(name, error))
    }
  }
  return { found: [...found.values()], problems }
}

/** What is wrong with something of this name, for people and in their language. */
export function problemOf(name: string, error: unknown): CatalogueProblem {
  return { name: name.slice(0, 200), ...reasonOf(error instanceof Refusal ? error : new Refusal('ErrInvalidJson')) }
}

export function reasonOf({ code, metadata, message }: Refusal): CatalogueWarning {
  return { reason: message, code, metadata }
}

function validateTemplate(name: string, content: unknown, readme: string | undefined): Template {
  validate(TemplateName, name)
  if (typeof content !== 'object' || content === null || Array.isArray(content)) throw new Refusal('ErrInvalidJson')
  if (isOldTemplate(content)) throw new Refusal('ErrOldTemplate')
  const whole = { ...content, name, ...(readme === undefined ? {} : { readme }) }
  if (JSON.stringify(whole).length > limits.definitionBytes) {
    throw new Refusal('ErrFieldTooLarge', { field: `${name}.json`, max: limits.definitionBytes })
  }
  validate(Template, whole)
  // It is kept as it was written: the schema only looked at it.
  return whole as unknown as Template
}

function isTemplate(path: string): boolean {
  const [folder = '', file = '', ...rest] = path.split('/')
  return rest.length === 0 && !folder.startsWith('.') && file.endsWith('.json') && !ignoredFiles.includes(file)
}

function withoutCommonFolder(files: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  const paths = [...files.keys()]
  const [top = ''] = paths[0]?.split('/') ?? []
  const isCommon = paths.every((path) => path.startsWith(`${top}/`))
  const isDeeper = paths.some((path) => path.endsWith('.json') && path.split('/').length > 2)
  if (!isCommon || !isDeeper) return files
  return new Map([...files].map(([path, text]) => [path.slice(top.length + 1), text]))
}
