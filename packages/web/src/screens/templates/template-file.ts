import { accept } from '@innkeeper/contract/accept'
import { environmentsOf, Template } from '@innkeeper/contract/definition'
import { TemplateName } from '@innkeeper/contract/names'
import { type ConversionNote, convertTemplate, isOldTemplate } from '@innkeeper/contract/template-conversion'
import { isObject, type Raw } from '../../features/definition-editor/raw.ts'

/** A template as a file holds it; `notes` are there when it was one of the 1.x format. */
export interface TemplateFile {
  /** What it will be called unless somebody says otherwise. */
  readonly name: string
  readonly raw: Raw
  readonly notes: readonly ConversionNote[] | undefined
}

/** @throws SyntaxError when it is no JSON. @throws Refusal when it is no template. */
export function readTemplateFile(fileName: string, content: string): TemplateFile {
  const json: unknown = JSON.parse(content.replace(/^\uFEFF/, ''))
  if (isOldTemplate(json)) {
    const { template, notes } = convertTemplate(json)
    return { name: template.name, raw: plain(template), notes }
  }
  accept(Template, json)
  const raw = isObject(json) ? json : {}
  const own = TemplateName.safeParse(raw.name)
  return { name: own.success ? own.data : fileName.replace(/\.json$/i, '').toLowerCase(), raw, notes: undefined }
}

/** A template as the panel would show it, with its keys in the order of another one: what differs is what it says. */
export function comparableTo(held: Raw, offered: Raw, name: string): Raw {
  const template = Template.parse(offered)
  const shown = plain({ ...template, supportedEnvironments: [...environmentsOf(template)], name })
  return inOrderOf(held, shown) as Raw
}

/** The same value with the keys of objects in the order in which the model has them; others follow. */
export function inOrderOf(model: unknown, value: unknown): unknown {
  if (Array.isArray(value))
    return value.map((one, index) => inOrderOf(Array.isArray(model) ? model[index] : undefined, one))
  if (!isObject(value)) return value
  const known = isObject(model) ? model : {}
  const keys = [...Object.keys(known).filter((key) => Object.hasOwn(value, key)), ...Object.keys(value)]
  return Object.fromEntries([...new Set(keys)].map((key) => [key, inOrderOf(known[key], value[key])]))
}

/** As it goes over the wire: without what is missing. */
function plain(value: object): Raw {
  return JSON.parse(JSON.stringify(value)) as Raw
}
