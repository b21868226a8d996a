import { files, type Source } from './sources.ts'

/** Texts by `file.Key`. Each plural form is an entry. */
export type Catalog = ReadonlyMap<string, string>

const locales = 'packages/web/src/locales'
const folder = `${locales}/en_US`

export function englishCatalog(): Catalog {
  const texts = new Map<string, string>()
  for (const { path, text } of files(`${folder}/*.json`)) {
    const file = path.slice(folder.length + 1, -'.json'.length)
    for (const [key, value] of Object.entries(JSON.parse(text) as Record<string, string>))
      texts.set(`${file}.${key}`, value)
  }
  return texts
}

/** The texts of a translation by `file.Key`; `undefined` when there is none. */
export function translatedCatalog(language: string): Catalog | undefined {
  const [source] = files(`${locales}/translations/${language}.json`)
  if (!source) return undefined
  const parts = JSON.parse(source.text) as Record<string, Record<string, string>>
  return new Map(
    Object.entries(parts).flatMap(([file, texts]) =>
      Object.entries(texts).map(([key, text]) => [`${file}.${key}`, text] as const),
    ),
  )
}

/** The texts of emails by their place in the file: `mail.kinds.invite.subject`. */
export function mailTexts(language: string): readonly (readonly [string, string])[] {
  const [source] = files(`packages/panel/src/mail/texts/${language}.json`)
  return source ? textsIn('mail', JSON.parse(source.text)) : []
}

function textsIn(key: string, value: unknown): (readonly [string, string])[] {
  if (typeof value === 'string') return [[key, value]]
  return Object.entries(value as object).flatMap(([name, part]) => textsIn(`${key}.${name}`, part))
}

/** Texts that may stay English: in every language (`all`), and by language. */
export function sameAsEnglish(): Readonly<Record<string, readonly string[]>> {
  const [file] = files(`${locales}/same-as-english.json`)
  return JSON.parse(file?.text ?? '{}') as Record<string, string[]>
}

/** Keys with a description for translators; `*` at the end matches any rest. */
export function translatorDescriptions(): readonly string[] {
  const [file] = files('packages/web/src/locales/descriptions.json')
  return Object.keys(JSON.parse(file?.text ?? '{}') as Record<string, string>)
}

/** The key that the source code uses: without the suffix of a plural form. */
export function baseKey(key: string): string {
  return key.replace(/_(zero|one|two|few|many|other)$/, '')
}

/** A use of a key in the source code. */
export interface KeyUse {
  readonly at: string
  /** The key, or the constant prefix of a computed key. */
  readonly key: string
  readonly isPrefix: boolean
  /** Names of the interpolated values; `undefined` if they are computed. */
  readonly argumentNames: readonly string[] | undefined
}

/** A key, for example `servers.Restart`. Scopes such as `servers.view` have a lowercase second part. */
const keyShape = /^[a-z][A-Za-z-]*\.[A-Z]\w*$/

export function isKey(text: string): boolean {
  return keyShape.test(text)
}

/**
 * All uses of keys in a file: arguments of `t(…)`, and every other string literal with the form of a key, because tables
 * contain keys too.
 */
export function keyUses(source: Source): KeyUse[] {
  const found: KeyUse[] = []
  const inCalls = new Set<number>()
  source.visit({
    CallExpression({ callee, arguments: [key, values] }) {
      if (callee.type !== 'Identifier' || callee.name !== 't' || !key) return
      for (const { value, start } of stringLiteralsOf(key)) {
        inCalls.add(start)
        found.push({ at: source.at(start), key: value, isPrefix: false, argumentNames: propertyNamesOf(values) })
      }
    },
    TemplateLiteral({ quasis, start }) {
      const prefix = quasis[0]?.value.cooked ?? ''
      if (quasis.length > 1 && /^[a-z][A-Za-z-]*\.([A-Z]\w*)?$/.test(prefix)) {
        found.push({ at: source.at(start), key: prefix, isPrefix: true, argumentNames: undefined })
      }
    },
  })
  source.visit({
    Literal({ value, start }) {
      if (typeof value !== 'string' || inCalls.has(start) || !isKey(value)) return
      found.push({ at: source.at(start), key: value, isPrefix: false, argumentNames: undefined })
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

/** The string literals that an expression can evaluate to, for example of `isNew ? 'a' : 'b'`. */
function stringLiteralsOf(node: Node): { value: string; start: number }[] {
  const { type, start } = node
  if (type === 'Literal') {
    const { value } = node as Node & { value: unknown }
    return typeof value === 'string' ? [{ value, start }] : []
  }
  if (type === 'ConditionalExpression') {
    const { consequent, alternate } = node as Node & { consequent: Node; alternate: Node }
    return [...stringLiteralsOf(consequent), ...stringLiteralsOf(alternate)]
  }
  return []
}

function propertyNamesOf(values: Node | undefined): string[] | undefined {
  if (!values) return []
  if (values.type !== 'ObjectExpression') return undefined
  const { properties } = values as Node & { properties: readonly (Node & { key?: { name?: string } })[] }
  const names = properties.map(({ key }) => key?.name)
  return names.every((name) => name !== undefined) ? names : undefined
}
