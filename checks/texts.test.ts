import { refusals } from '@innkeeper/contract/refusals'
import { expect, test } from 'vitest'
import { isForTests, type Source, sourceOf, sources } from './sources.ts'
import {
  type Asking,
  askedAs,
  askings,
  type Catalogue,
  englishCatalogue,
  isKey,
  placeholders,
  translatorDescriptions,
} from './texts.ts'

const screens = sources('packages/web/src/**/*.{ts,tsx}').filter(({ path }) => !isForTests(path))
const catalogue = englishCatalogue()
const asked = screens.flatMap(askings)

test('every text that the web app uses is in the English catalog', () => {
  const known = new Set([...catalogue.keys()].map(askedAs))
  const isKnown = ({ key, isPrefix }: Asking) => (isPrefix ? [...known].some((k) => k.startsWith(key)) : known.has(key))

  const missing = asked.filter((asking) => !isKnown(asking)).map(({ at, key }) => `${at} asks for '${key}': add it`)

  expect(missing).toEqual([])
})

test('every text of the catalog is used', () => {
  const whole = new Set(asked.filter(({ isPrefix }) => !isPrefix).map(({ key }) => key))
  const beginnings = asked.filter(({ isPrefix }) => isPrefix).map(({ key }) => key)

  const unused = [...catalogue.keys()].filter(
    (key) => !whole.has(askedAs(key)) && !beginnings.some((beginning) => key.startsWith(beginning)),
  )

  expect(unused, 'remove them, or use them').toEqual([])
})

test('arguments of texts match their placeholders', () => {
  expect(asked.flatMap((asking) => wrongFills(asking, catalogue))).toEqual([])
})

test('every refusal has a message with the same placeholders', () => {
  const wrong = Object.entries(refusals).flatMap(([code, [, message]]) => {
    const text = catalogue.get(`errors.${code}`)
    if (text === undefined) return [`errors.json: add "${code}": "${message.replaceAll('${', '{')}"`]
    const [has, needs] = [placeholders(text), placeholders(message)]
    return has.join() === needs.join()
      ? []
      : [`errors.json: "${code}" has {${has.join()}}, the contract ${needs.join()}`]
  })

  expect(wrong).toEqual([])
})

test('the catalog has no empty text and no placeholder in another syntax', () => {
  const odd = [...catalogue].filter(([, text]) => text.trim() === '' || /\$\{|\{\{/.test(text)).map(([key]) => key)

  expect(odd, 'write {name} for what is filled in').toEqual([])
})

test('each one-word text has a description for translators, and no description is unused', () => {
  const descriptions = translatorDescriptions()
  const describes = (pattern: string, key: string) =>
    pattern.endsWith('*') ? key.startsWith(pattern.slice(0, -1)) : pattern === key
  const short = [...catalogue]
    .filter(([key, text]) => !/\s/.test(text) && !key.startsWith('errors.'))
    .map(([key]) => key)

  const missing = short.filter((key) => !descriptions.some((pattern) => describes(pattern, askedAs(key))))
  const unused = descriptions.filter(
    (pattern) => ![...catalogue.keys()].some((key) => describes(pattern, askedAs(key))),
  )

  expect(missing, 'describe them in packages/web/src/locales/descriptions.json').toEqual([])
  expect(unused, 'remove them from packages/web/src/locales/descriptions.json').toEqual([])
})

test('components contain no literal text', () => {
  expect(screens.flatMap(ownTexts)).toEqual([])
})

test('the check finds literal text, a wrong argument and a missing key', () => {
  const source = sourceOf(
    'packages/web/src/x.tsx',
    `toast.success('Gone')
     const tab = { label: 'Tasks', title: 'common.Open' }
     const page = <a title="Open it" aria-label={t('common.Open')}>Hello {t('common.Hi', { nam })} {busy ? 'Wait' : null}</a>`,
  )
  const small: Catalogue = new Map([['common.Hi', 'Hi {name}']])

  expect(ownTexts(source).map((found) => found.replace(/:.*/s, ''))).toHaveLength(5)
  expect(askings(source).map(({ key }) => key)).toEqual(['common.Open', 'common.Hi', 'common.Open'])
  expect(askings(source).flatMap((asking) => wrongFills(asking, small))).toEqual([
    expect.stringContaining("'common.Hi' is given {nam}, but has {name}"),
  ])
})

function wrongFills({ at, key, isPrefix, fills }: Asking, texts: Catalogue): string[] {
  if (isPrefix || fills === undefined) return []
  const forms = [...texts].filter(([form]) => askedAs(form) === key)
  const needed = [...new Set(forms.flatMap(([, text]) => placeholders(text)))].sort()
  const given = [...fills].sort()
  const missing = needed.filter((name) => !given.includes(name))
  // The number that chooses a plural form need not be shown.
  const useless = given.filter((name) => !needed.includes(name) && name !== 'count')
  if (forms.length === 0 || (missing.length === 0 && useless.length === 0)) return []
  return [`${at}: '${key}' is given {${given.join()}}, but has {${needed.join()}}`]
}

/** Attributes and properties whose text people see or hear. */
const spoken = new Set([
  'aria-label',
  'aria-description',
  'aria-roledescription',
  'placeholder',
  'title',
  'alt',
  'label',
  'description',
])

/** Names, units and keys that are the same in every language. */
const sameEverywhere =
  /^(DAEMON|Aa|CPU|RAM|JSON|SFTP|Innkeeper|[KMGT]i?B|Ctrl|Esc|Enter|Shift|Alt|Tab|Home|End|[a-zA-Z])$/

/** Words that stand in a screen instead of in the catalogue. */
function ownTexts(source: Source): string[] {
  const found: string[] = []
  const look = (text: string, start: number) => {
    const words = text.split(/[^\p{L}\d-]+/u).filter((word) => /\p{L}/u.test(word) && !sameEverywhere.test(word))
    if (words.length === 0) return
    found.push(`${source.at(start)} says '${text.trim()}': put it in the catalogue and ask for it with t('…')`)
  }
  source.visit({
    JSXText({ value, start }) {
      look(value, start)
    },
    JSXAttribute({ name, value, start }) {
      if (name.type !== 'JSXIdentifier' || !spoken.has(name.name) || !value) return
      const shown = value.type === 'JSXExpressionContainer' ? value.expression : value
      for (const text of stringsOf(shown)) look(text, start)
    },
    CallExpression({ callee, arguments: [said] }) {
      if (callee.type !== 'MemberExpression' || callee.object.type !== 'Identifier' || !said) return
      if (callee.object.name !== 'toast') return
      for (const text of stringsOf(said)) look(text, said.start)
    },
    Property({ key, value, start }) {
      const name = key.type === 'Identifier' ? key.name : key.type === 'Literal' ? String(key.value) : ''
      if (!spoken.has(name)) return
      for (const text of stringsOf(value)) if (!isKey(text)) look(text, start)
    },
    JSXElement({ children }) {
      for (const child of children) {
        if (child.type !== 'JSXExpressionContainer') continue
        for (const text of stringsOf(child.expression)) look(text, child.start)
      }
    },
  })
  return found
}

interface Expression {
  readonly type: string
}

/** The strings that an expression shows, as far as it says. */
function stringsOf(node: Expression): string[] {
  const parts = node as Expression & Record<string, unknown>
  switch (node.type) {
    case 'Literal':
      return typeof parts.value === 'string' ? [parts.value] : []
    case 'TemplateLiteral':
      return (parts.quasis as { value: { cooked: string } }[]).map(({ value }) => value.cooked)
    case 'ConditionalExpression':
      return [...stringsOf(parts.consequent as Expression), ...stringsOf(parts.alternate as Expression)]
    case 'LogicalExpression':
      return [...stringsOf(parts.left as Expression), ...stringsOf(parts.right as Expression)]
    default:
      return []
  }
}
