import { expect, test } from 'vitest'
import { getSource, isForTests, type Source, sources } from './sources.ts'

/** Tooltips that say more than the name of their element, and where everyone finds that. */
const repeated: Readonly<Record<string, string>> = {
  'packages/web/src/app/navbar.tsx': 'the name of the entry is its text',
  'packages/web/src/features/players/player-hours.tsx': 'the table of hours has the average and peak of each',
  'packages/web/src/features/stats/uptime-card.tsx': 'the table of days has the share of each',
  'packages/web/src/screens/servers/columns.tsx': 'the menu of the row and screen readers have the maximum',
  'packages/web/src/screens/servers/tags/tag-list.tsx': 'the menu of the row and screen readers have all tags',
}

test('a tooltip repeats the name of its element: touch and screen readers have no tooltips', () => {
  const screens = sources('packages/web/src/**/*.tsx').filter(({ path }) => !isForTests(path))
  const found = screens.flatMap(unnamed)

  expect(found.filter(({ path }) => !(path in repeated)).map(({ at }) => at)).toEqual([])
  expect(Object.keys(repeated).filter((path) => !found.some((one) => one.path === path))).toEqual([])
})

test('the check finds information that is only in a tooltip', () => {
  const source = getSource(
    'packages/web/src/x.tsx',
    `const named = <button aria-label={label} data-tip={label} />
const wrapped = <Tooltip label={label}><ActionIcon aria-label={label} /></Tooltip>
const short = <IconButton label={full} tooltip={t('common.Edit')} />
const delegated = <span data-tip={all}>{some}</span>
const spread = { 'data-tip': all }
const mantine = <Tooltip label={all}><Text>{some}</Text></Tooltip>
const native = <Text title={all}>{some}</Text>
const reason = <IconButton label={full} tooltip={reason ?? full} />`,
  )

  expect(unnamed(source).map(({ at }) => at)).toEqual([4, 5, 6, 7, 8].map((line) => `packages/web/src/x.tsx:${line}`))
})

interface Finding {
  readonly path: string
  readonly at: string
}

/** Elements that show their `title` as a tooltip of the browser; other components have a heading of this name. */
const withNativeTitle = /^([a-z].*|Text|Box|Badge|Button|ActionIcon|Anchor|UnstyledButton)$/

function unnamed({ path, text, visit, at }: Source): Finding[] {
  const found: Finding[] = []
  const report = (start: number) => found.push({ path, at: at(start) })
  const isNamed = ({ start, end }: { start: number; end: number }) => text.slice(start, end).includes('aria-label')
  visit({
    JSXOpeningElement(element) {
      const name = element.name.type === 'JSXIdentifier' ? element.name.name : ''
      for (const attribute of element.attributes) {
        if (attribute.type !== 'JSXAttribute' || attribute.name.type !== 'JSXIdentifier') continue
        const value = attribute.value?.type === 'JSXExpressionContainer' ? attribute.value.expression : undefined
        if (attribute.name.name === 'data-tip' && !isNamed(element)) report(attribute.start)
        if (attribute.name.name === 'title' && withNativeTitle.test(name)) report(attribute.start)
        if (attribute.name.name === 'tooltip' && name === 'IconButton' && value?.type !== 'CallExpression') {
          report(attribute.start)
        }
      }
    },
    JSXElement({ openingElement, children, start }) {
      if (openingElement.name.type !== 'JSXIdentifier' || openingElement.name.name !== 'Tooltip') return
      const target = children.find(({ type }) => type === 'JSXElement')
      if (target?.type === 'JSXElement' && !isNamed(target.openingElement)) report(start)
    },
    ObjectExpression(object) {
      for (const property of object.properties) {
        if (property.type !== 'Property' || property.key.type !== 'Literal') continue
        if (property.key.value === 'data-tip' && !isNamed(object)) report(property.start)
      }
    },
  })
  return found
}
