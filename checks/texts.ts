import { files, type Source } from './sources.ts'

/** The English texts by `file.Key`, as the catalogue has them: a text with plural forms has several. */
export type Catalogue = ReadonlyMap<string, string>

const locales = 'packages/web/src/locales'
const folder = `${locales}/en_US`

export function englishCatalogue(): Catalogue {
  const texts = new Map<string, string>()
  for (const { path, text } of files(`${folder}/*.json`)) {
    const file = path.slice(folder.length + 1, -'.json'.length)
    for (const [key, value] of Object.entries(JSON.parse(text) as Record<string, string>))
      texts.set(`${file}.${key}`, value)
  }
  return texts
}

/** The texts of a translation by `file.Key`; `undefined` when there is none. */
export function translatedCatalogue(language: string): Catalogue | undefined {
  const [source] = files(`${locales}/translations/${language}.json`)
  if (!source) return undefined
  const parts = JSON.parse(source.text) as Record<string, Record<string, string>>
  return new Map(
    Object.entries(parts).flatMap(([file, texts]) =>
      Object.entries(texts).map(([key, text]) => [`${file}.${key}`, text] as const),
    ),
  )
}

/** The English texts that are right as they are in every language, by the key `all`, and in one, by its code. */
export function sameAsEnglish(): Readonly<Record<string, readonly string[]>> {
  const [file] = files(`${locales}/same-as-english.json`)
  return JSON.parse(file?.text ?? '{}') as Record<string, string[]>
}

/** The keys, and beginnings of keys with `*` behind them, that are described for translators. */
export function translatorDescriptions(): readonly string[] {
  const [file] = files('packages/web/src/locales/descriptions.json')
  return Object.keys(JSON.parse(file?.text ?? '{}') as Record<string, string>)
}

/** What a text is asked for by: without the ending of a plural form. */
export function askedAs(key: string): string {
  return key.replace(/_(zero|one|two|few|many|other)$/, '')
}

/** A place in the sources that asks for a text. */
export interface Asking {
  readonly at: string
  /** Whole keys, or the fixed beginning of a key that is put together. */
  readonly key: string
  readonly isPrefix: boolean
  /** The names that are filled in; `undefined` where that cannot be read off. */
  readonly fills: readonly string[] | undefined
}

/** How keys look: `servers.Restart`. Scopes such as `servers.view` begin small. */
const keyShape = /^[a-z][A-Za-z-]*\.[A-Z]\w*$/

export function isKey(text: string): boolean {
  return keyShape.test(text)
}

/**
 * Every key in a file. Keys stand in calls of `t(…)`, but also in tables that are looked up later, so every string
 * that looks like a key counts.
 */
export function askings(source: Source): Asking[] {
  const found: Asking[] = []
  const inCalls = new Set<number>()
  source.visit({
    CallExpression({ callee, arguments: [key, values] }) {
      if (callee.type !== 'Identifier' || callee.name !== 't' || !key) return
      for (const { value, start } of literalsOf(key)) {
        inCalls.add(start)
        found.push({ at: source.at(start), key: value, isPrefix: false, fills: namesOf(values) })
      }
    },
    TemplateLiteral({ quasis, start }) {
      const beginning = quasis[0]?.value.cooked ?? ''
      if (quasis.length > 1 && /^[a-z][A-Za-z-]*\.([A-Z]\w*)?$/.test(beginning)) {
        found.push({ at: source.at(start), key: beginning, isPrefix: true, fills: undefined })
      }
    },
  })
  source.visit({
    Literal({ value, start }) {
      if (typeof value !== 'string' || inCalls.has(start) || !isKey(value)) return
      found.push({ at: source.at(start), key: value, isPrefix: false, fills: undefined })
    },
  })
  return found
}

/** The names in `{…}` of a text. */
export function placeholders(text: string): string[] {
  return [...new Set([...text.matchAll(/\{\s*(\w+)[^{}]*\}/g)].map(([, name = '']) => name))].sort()
}

interface Node {
  readonly type: string
  readonly start: number
}

/** The strings that an expression can be, as far as it says: `'a'`, `isNew ? 'a' : 'b'`. */
function literalsOf(node: Node): { value: string; start: number }[] {
  const { type, start } = node
  if (type === 'Literal') {
    const { value } = node as Node & { value: unknown }
    return typeof value === 'string' ? [{ value, start }] : []
  }
  if (type === 'ConditionalExpression') {
    const { consequent, alternate } = node as Node & { consequent: Node; alternate: Node }
    return [...literalsOf(consequent), ...literalsOf(alternate)]
  }
  return []
}

function namesOf(values: Node | undefined): string[] | undefined {
  if (!values) return []
  if (values.type !== 'ObjectExpression') return undefined
  const { properties } = values as Node & { properties: readonly (Node & { key?: { name?: string } })[] }
  const names = properties.map(({ key }) => key?.name)
  return names.every((name) => name !== undefined) ? names : undefined
}
