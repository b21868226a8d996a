import { convertEgg } from '@innkeeper/contract/eggs/convert-egg'
import { getSlug } from '@innkeeper/contract/templates/template-conversion'
import { parseJsonOrUndefined } from '@innkeeper/contract/text/parse-json'
import type { ForeignRow } from '@innkeeper/panel/database/foreign-database'
import type { ImportedTemplate } from '@innkeeper/panel/import/import-plan'
import { noteTexts } from '../note-text.ts'
import { flagIn, groupBy, textIn } from '../rows.ts'

/** An egg of the database, with what it inherits from others. */
export interface StoredEgg {
  readonly name: string
  /** Name of its template here. */
  readonly template: string
  /** In the format of an exported egg. */
  readonly json: Readonly<Record<string, unknown>>
}

/** Eggs by ID. */
export function getEggs(rows: readonly ForeignRow[], variables: readonly ForeignRow[]): ReadonlyMap<string, StoredEgg> {
  const byId = new Map(rows.map((row) => [textIn(row, 'id') ?? '', row]))
  const byEgg = groupBy(variables, 'egg_id')
  const taken = new Set<string>()
  return new Map(
    [...byId].map(([id, row]) => {
      const name = textIn(row, 'name') || `Egg ${id}`
      const plain = getTemplateName(name, id)
      const template = taken.has(plain) ? `${plain}-${id}` : plain
      taken.add(template)
      return [id, { name, template, json: eggJson(row, byId, byEgg.get(id) ?? []) }]
    }),
  )
}

/** The ID of the template of an egg. A prefix, so that it is not taken for a template of ours with the same name. */
export const getTemplateName = (name: string, otherwise = ''): string =>
  `egg-${getSlug(name) || otherwise}`.slice(0, 90)

/** The templates of eggs; those that cannot be converted are noted. */
export function getTemplates(eggs: ReadonlyMap<string, StoredEgg>, notes: string[]): ImportedTemplate[] {
  return [...eggs.values()].flatMap(({ name, template, json }) => {
    try {
      const converted = convertEgg(json)
      for (const text of noteTexts(converted.notes)) notes.push(`egg ${name}: ${text}`)
      return { name: template, template: { ...converted.template, name: template } }
    } catch (error) {
      notes.push(`egg ${name}: ${error instanceof Error ? error.message : error}`)
      return []
    }
  })
}

/** A row as an exported egg: NULL columns fall back to the parent. */
function eggJson(row: ForeignRow, byId: ReadonlyMap<string, ForeignRow>, variables: readonly ForeignRow[]) {
  const parent = byId.get(textIn(row, 'config_from') ?? '')
  const scriptParent = byId.get(textIn(row, 'copy_script_from') ?? '')
  const own = (column: string) => textIn(row, column) ?? (parent && textIn(parent, column))
  const script = (column: string) => (scriptParent ? textIn(scriptParent, column) : textIn(row, column))
  const sorted = variables.toSorted((a, b) => Number(textIn(a, 'sort')) - Number(textIn(b, 'sort')) || 0)
  return {
    name: textIn(row, 'name'),
    author: textIn(row, 'author'),
    description: textIn(row, 'description'),
    docker_images: jsonIn(row, 'docker_images'),
    startup: textIn(row, 'startup'),
    startup_commands: jsonIn(row, 'startup_commands'),
    features: parseJsonOrUndefined(own('features') ?? '[]'),
    file_denylist: parseJsonOrUndefined(
      (parent ? textIn(parent, 'file_denylist') : textIn(row, 'file_denylist')) ?? '[]',
    ),
    config: { files: own('config_files'), startup: own('config_startup'), stop: own('config_stop') },
    scripts: {
      installation: {
        script: script('script_install'),
        container: script('script_container'),
        entrypoint: script('script_entry'),
      },
    },
    variables: sorted.map((variable) => ({
      name: textIn(variable, 'name'),
      description: textIn(variable, 'description'),
      env_variable: textIn(variable, 'env_variable'),
      default_value: textIn(variable, 'default_value'),
      user_viewable: flagIn(variable, 'user_viewable'),
      user_editable: flagIn(variable, 'user_editable'),
      rules: jsonIn(variable, 'rules') ?? textIn(variable, 'rules'),
    })),
  }
}

/** JSON of a column; `undefined` when it has none, or no list or object. */
function jsonIn(row: ForeignRow, column: string): unknown {
  const json = parseJsonOrUndefined(textIn(row, column) ?? '')
  return typeof json === 'object' && json !== null ? json : undefined
}
