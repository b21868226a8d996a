import { expect, test } from 'vitest'
import { files, getLine, getSource, type Source, sources, type TextFile } from './sources.ts'

const fontSize = /(?<![\w-])(?:font-size|font):\s*(?:\d+ )?[\d.]+(?:rem|px)\b|\bfz=(?:\{\d+\}|"[\d.]+rem")/g

/** Font sizes that are not a token of the theme. Sizes relative to the text around are allowed. */
function literalFontSizes({ path, text }: TextFile): string[] {
  return [...text.matchAll(fontSize)].map(
    ({ 0: found, index }) => `${path}:${getLine(text, index)} contains '${found}': use a token of theme/theme.ts`,
  )
}

test('font sizes are tokens of the theme', () => {
  // The styles of the whole page, before the tokens and for the keyboard of phones.
  const styled = files('packages/web/src/**/*.{css,tsx}').filter(({ path }) => !path.endsWith('theme/global.css'))

  expect(styled.flatMap(literalFontSizes)).toEqual([])
})

test.each([
  'a { font-size: 0.9375rem; }',
  'a { font: 500 0.8125rem / 1rem var(--ik-font); }',
  '<Text fz={13} />',
  '<Text fz="0.9375rem" />',
])('the check finds the font size in %s', (text) => {
  expect(literalFontSizes({ path: 'a', text })).toHaveLength(1)
})

/** Files with literal lengths or colors, and why. */
const exceptions: Readonly<Record<string, string>> = {
  'packages/web/src/theme/tokens.css': 'defines the tokens',
  'packages/web/src/theme/theme.ts': 'defines the tokens',
}

/** Pixels that code calculates with, and that do not grow with the font size of the browser. */
const pixels: Readonly<Record<string, string>> = {
  'packages/web/src/features/console/console.module.css': 'log-list.tsx calculates how many characters fit in a row',
}

/** Margins, paddings, gaps and radii, also as variables. `scroll-padding` is the size of what covers the edge. */
const lengths =
  /(?<![\w-])(?:--\w[\w-]*)?(?:margin|padding|gap|radius)[\w-]*\s*:[^;{}]*|(?:border(?:-[a-z-]+)?-radius|(?:row|column)-gap)\s*:[^;{}]*/g
const literalLength = /(?<![\w.-])-?(?!(?:0?\.)?0*(?:px|rem)|1px)\d*\.?\d+(px|rem)\b/g
const literalColor = /#[\da-f]{3,8}\b(?=[^{}]*[;}])|\b(?:rgb|hsl|oklch)a?\(/gi

/** Lengths and colors of a style sheet that are not a token of the theme. One pixel is a hairline. */
function literalsInSheet({ path, text }: TextFile): string[] {
  if (path in exceptions) return []
  const report = (index: number, what: string) =>
    `${path}:${getLine(text, index)} contains '${what}': use a token of theme/theme.ts or theme/tokens.css`
  const found = [...text.matchAll(lengths)].flatMap(({ 0: declaration, index }) =>
    [...declaration.matchAll(literalLength)]
      .filter(([, unit]) => !(unit === 'px' && path in pixels))
      .map(() => report(index, declaration)),
  )
  const colors = [...text.matchAll(literalColor)].map(({ 0: color, index }) => report(index, color))
  return [...found, ...colors]
}

const spacingProp = /^([mp][xytbse]?|(row|column)?[gG]ap|(vertical|horizontal)?[sS]pacing|radius)$/
const colorProp = /^(c|bg|bd|color|backgroundColor|background|fill|stroke)$/
const spacingStyle = /^(margin|padding|border\w*Radius)|^((row|column)G|g)ap$/
const isSpacing = (value: unknown) =>
  typeof value === 'number' ? Math.abs(value) > 1 : /\d(rem|em|px)\b/.test(String(value))
const isColor = (value: unknown) => /#[\da-f]{3,8}\b|\b(rgb|hsl)a?\(/i.test(String(value))

interface Place {
  readonly start: number
  readonly end: number
  readonly isLiteral: (value: unknown) => boolean
}

/** Spacings, radii and colors in the props of Mantine components and in styles that are not a token of the theme. */
function literalsInComponent(source: Source): string[] {
  const places: Place[] = []
  const found: string[] = []
  source.visit({
    JSXAttribute({ name, value }) {
      if (name.type !== 'JSXIdentifier' || !value) return
      if (spacingProp.test(name.name)) places.push({ ...value, isLiteral: isSpacing })
      if (colorProp.test(name.name)) places.push({ ...value, isLiteral: isColor })
      if (name.name !== 'style') return
      if (value.type !== 'JSXExpressionContainer' || value.expression.type !== 'ObjectExpression') return
      for (const property of value.expression.properties) {
        if (property.type !== 'Property' || property.key.type !== 'Identifier') continue
        if (spacingStyle.test(property.key.name)) places.push({ ...property.value, isLiteral: isSpacing })
        if (colorProp.test(property.key.name)) places.push({ ...property.value, isLiteral: isColor })
      }
    },
  })
  source.visit({
    Literal({ value, start, end }) {
      if (places.some((place) => place.start <= start && end <= place.end && place.isLiteral(value)))
        found.push(`${source.at(start)} contains ${value}: use a token of theme/theme.ts or theme/tokens.css`)
    },
  })
  return found
}

test('spacings, radii and colors are tokens of the theme', () => {
  const sheets = files('packages/web/src/**/*.css').flatMap(literalsInSheet)
  const components = sources('packages/web/src/**/*.tsx').flatMap(literalsInComponent)

  expect([...sheets, ...components]).toEqual([])
})

test.each([
  'padding: 0 0.5rem;',
  'margin-inline: -1rem auto;',
  'gap: 3px;',
  'row-gap: 0.25rem;',
  'padding-block-end: max(0.5rem, env(safe-area-inset-bottom));',
  '--nav-padding: 0.5rem;',
  'border-radius: 10px;',
  'border-start-end-radius: 999px;',
  'color: #fff;',
  'background: rgb(0 0 0 / 50%);',
])('the check finds the literal in %s', (declaration) => {
  expect(literalsInSheet({ path: 'a.css', text: `a:hover {\n  ${declaration}\n}` })).toHaveLength(1)
})

test.each([
  'padding: 0 1px;',
  'margin: 0.5em;',
  'gap: var(--mantine-spacing-xs);',
  'inline-size: 3rem;',
  'border-radius: 50%;',
  'scroll-padding-inline: 13rem 9.75rem;',
  'color: color-mix(in srgb, var(--ik-text) 40%, transparent);',
])('the check allows %s', (declaration) => {
  expect(literalsInSheet({ path: 'a.css', text: `#add a {\n  ${declaration}\n}` })).toEqual([])
})

test('the check finds literals in components', () => {
  const literals = '<Box p={6} m={0} px="0.5rem" py={{ base: 2, sm: 0 }} gap={isSmall ? 10 : 0} radius={10} />'
  const styles = '<Box c="#fff" style={{ marginBlockStart: 2, borderRadius: "4px", background: "rgb(0 0 0)" }} />'
  const tokens = '<Box p="2xs" ms="-xs" mx="calc(var(--mantine-spacing-md) * -1)" w={6} c="dimmed" href="#add" />'

  expect(literalsInComponent(getSource('a.tsx', literals))).toHaveLength(5)
  expect(literalsInComponent(getSource('a.tsx', styles))).toHaveLength(4)
  expect(literalsInComponent(getSource('a.tsx', tokens))).toEqual([])
})
