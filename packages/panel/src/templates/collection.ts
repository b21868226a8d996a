import { Template } from '@innkeeper/contract/definitions/definition'
import { validate } from '@innkeeper/contract/definitions/validate'
import { Refusal } from '@innkeeper/contract/errors/refusals'
import type { CatalogProblem, CatalogWarning } from '@innkeeper/contract/templates/catalog'
import { isOldTemplate } from '@innkeeper/contract/templates/template-conversion'
import { limits } from '@innkeeper/contract/text/limits'
import { TemplateName } from '@innkeeper/contract/text/names'

/** A parsed template with its name and readme. */
export interface LoadedTemplate {
  readonly name: string
  readonly template: Template
}

/** The templates of a folder, archive or index: valid ones, and problems of the others. */
export interface TemplateCollection {
  readonly found: readonly LoadedTemplate[]
  readonly problems: readonly CatalogProblem[]
}

/** Parses JSON with the checks for untrusted input. */
export type ParseJson = (text: string) => unknown

/** Files beside templates that are not templates. */
const ignoredFiles = ['data.json', 'spec.json']

/**
 * Finds templates among files by path: in each folder that is not hidden, `<x>.json` is the template `x` (lower case)
 * and `<x>.md`, else `README.md`, its readme. A common root folder, as in a snapshot of a repository, is ignored.
 */
export function findTemplates(files: ReadonlyMap<string, string>, parse: ParseJson): TemplateCollection {
  const inner = withoutCommonFolder(files)
  const templateFiles = [...inner].filter(([path]) => isTemplate(path)).toSorted(([a], [b]) => (a < b ? -1 : 1))
  return validateAll(
    templateFiles.map(([path, text]) => {
      const [folder = '', file = ''] = path.split('/')
      const stem = file.slice(0, -'.json'.length)
      const readme = inner.get(`${folder}/${stem}.md`) ?? inner.get(`${folder}/README.md`)
      return { name: stem.toLowerCase(), read: () => parse(text), readme }
    }),
  )
}

/** A template before validation. */
export interface RawTemplate {
  readonly name: string
  readonly read: () => unknown
  readonly readme?: string | undefined
}

/** Validates each template separately: an invalid one becomes a problem, and the others are returned. */
export function validateAll(rawTemplates: readonly RawTemplate[]): TemplateCollection {
  const found = new Map<string, LoadedTemplate>()
  const problems: CatalogProblem[] = []
  for (const { name, read, readme } of rawTemplates) {
    try {
      if (found.has(name)) throw new Refusal('ErrTwiceInIndex')
      found.set(name, { name, template: validateTemplate(name, read(), readme) })
    } catch (error) {
      problems.push(toCatalogProblem(name, error))
    }
  }
  return { found: [...found.values()], problems }
}

/** A problem of a template, in English and as an error code. */
export function toCatalogProblem(name: string, error: unknown): CatalogProblem {
  return {
    name: name.slice(0, 200),
    ...toCatalogWarning(error instanceof Refusal ? error : new Refusal('ErrInvalidJson')),
  }
}

export function toCatalogWarning({ code, metadata, message }: Refusal): CatalogWarning {
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
  // Stored unchanged; the schema only validates it.
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
