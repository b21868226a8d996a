import { refusals } from '@innkeeper/contract/errors/refusals'
import { expect, test } from 'vitest'
import { baseKey, type Catalog, englishCatalog, translatorDescriptions } from '../tools/catalogs.ts'
import { getSource, isForTests, type Source, sources } from './sources.ts'
import { isKey, type KeyUse, keyUses, placeholders } from './texts.ts'

const screens = sources('packages/web/src/**/*.{ts,tsx}').filter(({ path }) => !isForTests(path))
const catalog = englishCatalog()
const usedKeys = screens.flatMap(keyUses)

test('every text that the web app uses is in the English catalog', () => {
  const known = new Set([...catalog.keys()].map(baseKey))
  const isKnown = ({ key, isPrefix }: KeyUse) =>
    isPrefix ? [...known].some((one) => one.startsWith(key)) : known.has(key)

  const missing = usedKeys.filter((use) => !isKnown(use)).map(({ at, key }) => `${at} uses '${key}': add it`)

  expect(missing).toEqual([])
})

test('every text of the catalog is used', () => {
  const fullKeys = new Set(usedKeys.filter(({ isPrefix }) => !isPrefix).map(({ key }) => key))
  const prefixes = usedKeys.filter(({ isPrefix }) => isPrefix).map(({ key }) => key)

  const unused = [...catalog.keys()].filter(
    (key) => !fullKeys.has(baseKey(key)) && !prefixes.some((prefix) => key.startsWith(prefix)),
  )

  expect(unused, 'remove unused texts').toEqual([])
})

test('dates, numbers and lists are formatted by i18n/ only', () => {
  const formatting = screens.filter(
    ({ path, text }) =>
      !path.startsWith('packages/web/src/i18n/') && /\bIntl\.|\.toLocale(Date|Time)?String\(/.test(text),
  )

  expect(formatting.map(({ path }) => path)).toEqual([])
})

test('arguments of texts match their placeholders', () => {
  expect(usedKeys.flatMap((use) => wrongArguments(use, catalog))).toEqual([])
})

test('every refusal has a message with the same placeholders', () => {
  const wrong = Object.entries(refusals).flatMap(([code, [, message]]) => {
    const text = catalog.get(`errors.${code}`)
    if (text === undefined) return [`errors.json: add "${code}": "${message.replaceAll('${', '{')}"`]
    const [has, needs] = [placeholders(text), placeholders(message)]
    return has.join() === needs.join()
      ? []
      : [`errors.json: "${code}" has {${has.join()}}, the contract ${needs.join()}`]
  })

  expect(wrong).toEqual([])
})

test('the catalog has no empty text and no placeholder in another syntax', () => {
  const invalid = [...catalog].filter(([, text]) => text.trim() === '' || /\$\{|\{\{/.test(text)).map(([key]) => key)

  expect(invalid, 'placeholders are written as {name}').toEqual([])
})

test('each text of one or two words has a description for translators, and no description is unused', () => {
  const descriptions = translatorDescriptions()
  const describes = (pattern: string, key: string) =>
    pattern.endsWith('*') ? key.startsWith(pattern.slice(0, -1)) : pattern === key
  const isShort = (text: string) => (text.replace(/\{[^{}]*\}|<[^<>]*>/g, ' ').match(/\S*\p{L}\S*/gu) ?? []).length <= 2
  const short = [...catalog].filter(([key, text]) => isShort(text) && !key.startsWith('errors.')).map(([key]) => key)

  const missing = short.filter((key) => !descriptions.some((pattern) => describes(pattern, baseKey(key))))
  const unused = descriptions.filter((pattern) => ![...catalog.keys()].some((key) => describes(pattern, baseKey(key))))

  expect(missing, 'add descriptions to packages/web/src/locales/descriptions.json').toEqual([])
  expect(unused, 'remove them from packages/web/src/locales/descriptions.json').toEqual([])
})

test('components contain no literal text', () => {
  expect(screens.flatMap(literalTexts)).toEqual([])
})

test('the check finds literal text, a wrong argument and a missing key', () => {
  const source = getSource(
    'packages/web/src/x.tsx',
    `toast.success('Gone')
     const tab = { label: 'Tasks', title: 'common.Open' }
     const page = <a title="Open it" aria-label={t('common.Open')}>Hello {t('common.Hi', { nam })} {busy ? 'Wait' : null}</a>`,
  )
  const small: Catalog = new Map([['common.Hi', 'Hi {name}']])

  expect(literalTexts(source).map((found) => found.replace(/:.*/s, ''))).toHaveLength(5)
  expect(keyUses(source).map(({ key }) => key)).toEqual(['common.Open', 'common.Hi', 'common.Open'])
  expect(keyUses(source).flatMap((use) => wrongArguments(use, small))).toEqual([
    expect.stringContaining("'common.Hi' has the arguments {nam} and the placeholders {name}"),
  ])
})

function wrongArguments({ at, key, isPrefix, argumentNames }: KeyUse, texts: Catalog): string[] {
  if (isPrefix || argumentNames === undefined) return []
  const forms = [...texts].filter(([form]) => baseKey(form) === key)
  const needed = [...new Set(forms.flatMap(([, text]) => placeholders(text)))].sort()
  const given = [...argumentNames].sort()
  const missing = needed.filter((name) => !given.includes(name))
  // The count selects the plural form and need not be shown.
  const unused = given.filter((name) => !needed.includes(name) && name !== 'count')
  if (forms.length === 0 || (missing.length === 0 && unused.length === 0)) return []
  return [`${at}: '${key}' has the arguments {${given.join()}} and the placeholders {${needed.join()}}`]
}

/** Attributes and properties whose text is displayed or read by screen readers. */
const textAttributes = new Set([
  'aria-label',
  'aria-description',
  'aria-roledescription',
  'placeholder',
  'title',
  'alt',
  'label',
  'description',
])

/** Names, units and keys that are not translated. */
const untranslatable = /^(DAEMON|Aa|CPU|RAM|JSON|SFTP|Innkeeper|Ctrl|Esc|Enter|Shift|Alt|Tab|Home|End|[a-zA-Z])$/

/** Literal texts of a component that belong in the catalog. */
function literalTexts(source: Source): string[] {
  const found: string[] = []
  const report = (text: string, start: number) => {
    const words = text.split(/[^\p{L}\d-]+/u).filter((word) => /\p{L}/u.test(word) && !untranslatable.test(word))
    if (words.length === 0) return
    found.push(`${source.at(start)} contains '${text.trim()}': add it to the catalog and use t('…')`)
  }
  source.visit({
    JSXText({ value, start }) {
      report(value, start)
    },
    JSXAttribute({ name, value, start }) {
      if (name.type !== 'JSXIdentifier' || !textAttributes.has(name.name) || !value) return
      const shown = value.type === 'JSXExpressionContainer' ? value.expression : value
      for (const text of possibleStrings(shown)) report(text, start)
    },
    CallExpression({ callee, arguments: [message] }) {
      if (callee.type !== 'MemberExpression' || callee.object.type !== 'Identifier' || !message) return
      if (callee.object.name !== 'toast') return
      for (const text of possibleStrings(message)) report(text, message.start)
    },
    Property({ key, value, start }) {
      const name = key.type === 'Identifier' ? key.name : key.type === 'Literal' ? String(key.value) : ''
      if (!textAttributes.has(name)) return
      for (const text of possibleStrings(value)) if (!isKey(text)) report(text, start)
    },
    JSXElement({ children }) {
      for (const child of children) {
        if (child.type !== 'JSXExpressionContainer') continue
        for (const text of possibleStrings(child.expression)) report(text, child.start)
      }
    },
  })
  return found
}

interface Expression {
  readonly type: string
}

/** The string literals that an expression can evaluate to. */
function possibleStrings(node: Expression): string[] {
  const parts = node as Expression & Record<string, unknown>
  switch (node.type) {
    case 'Literal':
      return typeof parts.value === 'string' ? [parts.value] : []
    case 'TemplateLiteral':
      return (parts.quasis as { value: { cooked: string } }[]).map(({ value }) => value.cooked)
    case 'ConditionalExpression':
      return [...possibleStrings(parts.consequent as Expression), ...possibleStrings(parts.alternate as Expression)]
    case 'LogicalExpression':
      return [...possibleStrings(parts.left as Expression), ...possibleStrings(parts.right as Expression)]
    default:
      return []
  }
}
