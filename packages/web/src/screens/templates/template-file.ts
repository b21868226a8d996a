import { getEnvironments, Template } from '@innkeeper/contract/definitions/definition'
import { validate } from '@innkeeper/contract/definitions/validate'
import { convertEgg } from '@innkeeper/contract/eggs/convert-egg'
import { isEgg } from '@innkeeper/contract/eggs/egg'
import { type ConversionNote, convertTemplate, isOldTemplate } from '@innkeeper/contract/templates/template-conversion'
import { TemplateName } from '@innkeeper/contract/text/names'
import { isObject, type JsonObject } from '../../features/definition-editor/json-path.ts'

/** A template read from a file. `notes` are set when it was converted: from the 1.x format, or from an egg. */
export interface TemplateFile {
  /** The suggested ID. */
  readonly name: string
  readonly raw: JsonObject
  readonly notes: readonly ConversionNote[] | undefined
  readonly isEgg?: boolean | undefined
}

export const isYamlFile = (fileName: string): boolean => /\.ya?ml$/i.test(fileName)

/**
 * Reads a file of JSON, or of YAML by its name, which Pelican exports.
 * @throws SyntaxError when it is not JSON; YamlError when it is not YAML; Refusal when it is not a template
 */
export async function readTemplateFile(fileName: string, content: string): Promise<TemplateFile> {
  const json: unknown = isYamlFile(fileName)
    ? (await import('@innkeeper/contract/text/parse-yaml')).parseYaml(content)
    : JSON.parse(content.replace(/^\uFEFF/, ''))
  if (isEgg(json)) {
    const { template, notes } = convertEgg(json)
    return { name: template.name, raw: toJsonObject(template), notes, isEgg: true }
  }
  if (isOldTemplate(json)) {
    const { template, notes } = convertTemplate(json)
    return { name: template.name, raw: toJsonObject(template), notes }
  }
  validate(Template, json)
  const raw = isObject(json) ? json : {}
  const ownName = TemplateName.safeParse(raw.name)
  const name = ownName.success ? ownName.data : fileName.replace(/\.(json|ya?ml)$/i, '').toLowerCase()
  return { name, raw, notes: undefined }
}

/** The incoming template as the panel would return it, with its keys in the order of `current`, for a line-based diff. */
export function toComparable(current: JsonObject, incoming: JsonObject, name: string): JsonObject {
  const template = Template.parse(incoming)
  const normalized = toJsonObject({ ...template, supportedEnvironments: [...getEnvironments(template)], name })
  return sortKeysLike(current, normalized) as JsonObject
}

/** Returns `value` with the keys of its objects in the order of `model`. Keys that `model` does not have come last. */
export function sortKeysLike(model: unknown, value: unknown): unknown {
  if (Array.isArray(value))
    return value.map((item, index) => sortKeysLike(Array.isArray(model) ? model[index] : undefined, item))
  if (!isObject(value)) return value
  const modelObject = isObject(model) ? model : {}
  const keys = [...Object.keys(modelObject).filter((key) => Object.hasOwn(value, key)), ...Object.keys(value)]
  return Object.fromEntries([...new Set(keys)].map((key) => [key, sortKeysLike(modelObject[key], value[key])]))
}

/** Drops undefined properties, as JSON does. */
function toJsonObject(value: object): JsonObject {
  return JSON.parse(JSON.stringify(value)) as JsonObject
}
