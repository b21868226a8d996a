import { basename } from 'node:path'
import { expect, test } from 'vitest'
import { files, getLine, getSource, type Source, sources, type TextFile } from './sources.ts'

const advice = 'use the logical property (inline-start, inline-end), which is mirrored in right-to-left languages'

const physicalProperties = [
  /(?<![\w-])(?:margin|padding|border|scroll-margin|scroll-padding)-(?:left|right)\b[\w-]*\s*:/g,
  /(?<![\w-])(?:left|right)\s*:/g,
  /(?<![\w-])border-(?:top|bottom)-(?:left|right)-radius\s*:/g,
  /(?<![\w-])(?:text-align|float|clear)\s*:\s*(?:left|right)\b/g,
]

/** Shorthands with different values for left and right. */
const fourValueShorthand = /(?<![\w-])(?:margin|padding|inset|border-width)\s*:\s*([^;{}()]+);/g

/** Physical sides in a style sheet. */
function physicalSidesInSheet({ path, text }: TextFile): string[] {
  const blank = text.replace(/\/\*.*?\*\//gs, (comment) => comment.replace(/[^\n]/g, ' '))
  const found = physicalProperties.flatMap((pattern) => [...blank.matchAll(pattern)])
  for (const match of blank.matchAll(fourValueShorthand)) {
    const [, right, , left] = (match[1] ?? '').trim().split(/\s+/)
    if (left !== undefined && left !== right) found.push(match)
  }
  return found.map((match) => `${path}:${getLine(text, match.index)} contains '${match[0].trim()}': ${advice}`)
}

const physicalStyle = /^((margin|padding|border)(Left|Right)\w*|border(Top|Bottom)(Left|Right)Radius|left|right)$/
const physicalProp = /^(ml|mr|pl|pr)$/

/** Physical sides in a component. */
function physicalSidesInComponent(source: Source): string[] {
  const found: string[] = []
  const report = (start: number, what: string) => found.push(`${source.at(start)} contains '${what}': ${advice}`)
  source.visit({
    JSXAttribute({ name, value, start }) {
      if (name.type !== 'JSXIdentifier') return
      if (physicalProp.test(name.name)) report(start, name.name)
      if (name.name === 'ta' && value?.type === 'Literal' && /left|right/.test(String(value.value))) report(start, 'ta')
      if (name.name !== 'style' || value?.type !== 'JSXExpressionContainer') return
      if (value.expression.type !== 'ObjectExpression') return
      for (const property of value.expression.properties) {
        if (property.type !== 'Property' || property.key.type !== 'Identifier') continue
        if (physicalStyle.test(property.key.name)) report(property.start, property.key.name)
      }
    },
  })
  return found
}

test('styles use logical properties instead of left and right', () => {
  const sheets = files('packages/web/src/**/*.css').flatMap(physicalSidesInSheet)
  const components = sources('packages/web/src/**/*.tsx').flatMap(physicalSidesInComponent)

  expect([...sheets, ...components]).toEqual([])
})

test.each([
  'margin-left: 1px',
  'right: 0',
  'text-align: left',
  'border-top-left-radius: 2px',
  'padding: 1px 2px 1px 0;',
])('the check finds %s in a style sheet', (declaration) => {
  expect(physicalSidesInSheet({ path: 'a.css', text: `/* left: ok */\na { ${declaration} }` })).toHaveLength(1)
})

test.each(['padding: 1px 2px 1px 2px;', 'margin-inline-start: 1px', 'inset-inline-end: 0', 'text-align: start'])(
  'the check allows %s in a style sheet',
  (declaration) => {
    expect(physicalSidesInSheet({ path: 'a.css', text: `a { ${declaration} }` })).toEqual([])
  },
)

test('the check finds a physical side in a component', () => {
  const source = getSource('a.tsx', '<Box ml="md" style={{ right: 0, marginInlineStart: 2 }} leftSection={null} />')

  expect(physicalSidesInComponent(source)).toHaveLength(2)
})

/** Classes of a CSS module that no component uses. Modules whose classes are chosen by a value are left out. */
function unusedClasses({ path, text }: TextFile, components: readonly TextFile[]): string[] {
  const users = components.filter(({ text: code }) => code.includes(`/${basename(path)}'`))
  if (users.some(({ text: code }) => /\b(classes|controls|records)\[|classNames=\{classes\}/.test(code))) return []
  const selectors = text.replace(/\/\*.*?\*\//gs, '').replace(/\{[^{}]*\}/g, '{}')
  const names = new Set([...selectors.matchAll(/\.([a-z]\w*)(?![\w-])/gi)].map(([, name]) => name))
  const isUsed = (name?: string) => users.some(({ text: code }) => new RegExp(`\\w\\.${name}\\b`).test(code))
  return [...names].filter((name) => !isUsed(name)).map((name) => `${path}: .${name} is not used`)
}

test('every class of a CSS module is used', () => {
  const components = files('packages/web/src/**/*.{ts,tsx}')

  expect(files('packages/web/src/**/*.module.css').flatMap((sheet) => unusedClasses(sheet, components))).toEqual([])
})

test('the check finds a class that no component uses', () => {
  const sheet = { path: 'ui/a.module.css', text: '/* .no */ .used:hover, .dead .mantine-Button-label { gap: 0.5rem }' }
  const component = { path: 'ui/a.tsx', text: "import classes from './a.module.css'\nconst a = classes.used" }

  expect(unusedClasses(sheet, [component])).toEqual(['ui/a.module.css: .dead is not used'])
})

/** Elements and components that pass `title` on to the element. */
const plainElement = /^([a-z]\w*|ActionIcon|Anchor|Badge|Box|Button|Group|Paper|Stack|Text|UnstyledButton)$/

/** Tooltips of the browser, which only a mouse opens. */
function browserTooltips(source: Source): string[] {
  const found: string[] = []
  source.visit({
    JSXOpeningElement({ name, attributes }) {
      if (name.type !== 'JSXIdentifier' || !plainElement.test(name.name)) return
      for (const one of attributes) {
        if (one.type === 'JSXAttribute' && one.name.name === 'title')
          found.push(`${source.at(one.start)} has a title: show it, or use InfoPopover`)
      }
    },
  })
  return found
}

test('nothing is only in a tooltip of the browser', () => {
  expect(sources('packages/web/src/**/*.tsx').flatMap(browserTooltips)).toEqual([])
})

test('the check finds tooltips of the browser', () => {
  const source = getSource('a.tsx', '<p title="a"><Badge title="b" /><Modal title="c" /></p>')

  expect(browserTooltips(source)).toHaveLength(2)
})
