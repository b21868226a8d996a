import { describe, expect, test } from 'vitest'
import { contrast } from './color.ts'
import { defaultPalettes, type Palette, type Scheme, schemes } from './palette.ts'
import { writeTar } from './tar.ts'
import { ThemeError } from './theme-error.ts'
import { lowestContrast, readTheme } from './theme-file.ts'

const encode = (content: string) => new TextEncoder().encode(content)

function getTheme(json: unknown, files: Readonly<Record<string, string>> = {}) {
  const all = { 'theme.json': JSON.stringify(json), ...files }
  return readTheme(writeTar(Object.entries(all).map(([name, content]) => ({ name, bytes: encode(content) }))))
}

function findProblem(read: () => unknown): string | undefined {
  try {
    read()
    return undefined
  } catch (error) {
    if (error instanceof ThemeError) return `${error.problem}: ${error.detail}`
    throw error
  }
}

/** Every token of a scheme, with those that the theme leaves as they are. */
const getAll = (palette: Palette, scheme: Scheme): Palette => ({ ...defaultPalettes[scheme], ...palette })

const seeds = ['#ff0000', '#ffff00', '#00ff00', '#00ffff', '#0000ff', '#ff00ff', '#000000', '#ffffff', '#808080']

describe('text is readable with any primary and accent color', () => {
  test.each(schemes.flatMap((scheme) => seeds.map((seed) => [scheme, seed] as const)))('%s %s', (scheme, seed) => {
    const { palettes } = getTheme({ colors: { [scheme]: { primary: seed, accent: seed } } })
    const all = getAll(palettes[scheme], scheme)

    expect(contrast(all.primary ?? '', '#ffffff')).toBeGreaterThanOrEqual(4.5)
    for (const ground of ['body', 'surface', 'raised', 'dialog', 'hover', 'field', 'primary-soft']) {
      expect(contrast(all.link ?? '', all[ground] ?? ''), `link on ${ground}`).toBeGreaterThanOrEqual(4.5)
    }
    expect(contrast(all.accent ?? '', all['accent-soft'] ?? '')).toBeGreaterThanOrEqual(4.5)
    expect(contrast(all['on-accent'] ?? '', all.accent ?? '')).toBeGreaterThanOrEqual(4.5)
    expect(contrast(all.highlight ?? '', all.surface ?? '')).toBeGreaterThanOrEqual(3)
    expect(lowestContrast(palettes[scheme], scheme)).toBeGreaterThanOrEqual(4.5)
  })
})

test('a readable color stays unchanged', () => {
  const { palettes } = getTheme({ colors: { light: { primary: '#0B7A72' }, dark: { anchor: '#9cf' } } })

  expect(palettes.light.primary).toBe('#0b7a72')
  expect(palettes.dark.link).toBe('#99ccff')
})

test('colors outside of light and dark are for both, unless a scheme has its own', () => {
  const { palettes } = getTheme({ colors: { primary: '#0b7a72', dark: { primary: '#3560cf' } } })

  expect(palettes.light.primary).toBe('#0b7a72')
  expect(palettes.dark.primary).toBe('#3560cf')
})

test('a theme of another panel of this family is accepted', () => {
  const colors = { primary: '#07a7e3', anchor: '#07a7e3', accent: '#65a5f8', info: '#2196f3', success: '#4caf50' }
  const status = { warning: '#fb8c00', error: '#ff5252' }

  const { palettes, css } = getTheme(
    { colors: { light: { ...colors, ...status }, dark: {} } },
    { 'theme.css': '.x {}' },
  )

  for (const name of ['online', 'offline', 'warning', 'info', 'link']) {
    expect(contrast(palettes.light[name] ?? '', '#ffffff'), name).toBeGreaterThanOrEqual(4.5)
  }
  expect(css).toBe('.x {}')
})

test('a theme without colors changes nothing', () => {
  expect(getTheme({ colors: { light: {}, dark: {} } }).palettes).toEqual({ light: {}, dark: {} })
})

test('images are found by the names in theme.json', () => {
  const theme = getTheme(
    { colors: {}, logo: 'logo.svg', favicon: 'img/icon.png' },
    { 'logo.svg': '<svg/>', 'img/icon.png': 'x' },
  )

  expect([theme.logo, theme.favicon]).toEqual(['logo.svg', 'img/icon.png'])
  expect(theme.assets.map(({ name, type }) => [name, type])).toEqual([
    ['logo.svg', 'image/svg+xml'],
    ['img/icon.png', 'image/png'],
  ])
})

describe('a theme is rejected', () => {
  test.each<[string, () => unknown, string]>([
    ['without theme.json', () => readTheme(writeTar([{ name: 'a.png', bytes: encode('') }])), 'noThemeJson: '],
    ['whose JSON is damaged', () => readTheme(writeTar([{ name: 'theme.json', bytes: encode('{') }])), 'json: '],
    ['whose color is none', () => getTheme({ colors: { light: { primary: 'red' } } }), 'color: colors.light.primary'],
    ['whose logo is not in it', () => getTheme({ colors: {}, logo: 'logo.svg' }), 'asset: logo.svg'],
    ['with a script in it', () => getTheme({ colors: {} }, { 'a.js': 'alert(1)' }), 'asset: a.js'],
    ['with too much CSS', () => getTheme({ colors: {} }, { 'theme.css': 'a'.repeat(131_073) }), 'cssTooLarge: '],
    [
      'whose text is too low in contrast',
      () => getTheme({ colors: { light: { surface: '#ffffff', text: '#999999' } } }),
      'contrast: light: text on body, 2.7 : 1',
    ],
    [
      'in which crashed servers look like running ones',
      () => getTheme({ colors: { dark: { success: '#4cc38a', error: '#4cc390' } } }),
      'statusColors: #4cc38a, #4cc390',
    ],
  ])('%s', (_what, read, problem) => {
    expect(findProblem(read)).toBe(problem)
  })
})
