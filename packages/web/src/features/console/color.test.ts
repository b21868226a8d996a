import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { applySgr } from './ansi.ts'
import { colorNames, contrast, ensureContrast, type Palette, type Rgb, toCss } from './color.ts'

const tokens = readFileSync(`${import.meta.dirname}/../../theme/tokens.css`, 'utf8')

/** The colors of the theme, as a browser computes them. */
function themePalette(scheme: 'dark' | 'light'): Palette {
  const [, block = ''] = tokens.split(`:root[data-mantine-color-scheme="${scheme}"] {`)
  const read = (token: string): Rgb => {
    const hex = Number.parseInt(new RegExp(`${token}: #([0-9a-f]{6});`).exec(block)?.[1] ?? '', 16)
    return [hex >> 16, (hex >> 8) & 255, hex & 255]
  }
  return {
    background: read('--ik-console'),
    text: read('--ik-console-text'),
    colors: colorNames.map((name) => read(`--ik-ansi-${name}`)),
  }
}

const dark = themePalette('dark')

test('colors of the palette are tokens of the theme', () => {
  expect(toCss({ color: 1 }, dark)).toEqual({ color: 'var(--ik-ansi-red)' })
  expect(toCss({ color: 12 }, dark)).toEqual({ color: 'var(--ik-ansi-bright-blue)' })
  expect(toCss({ bold: true }, dark)).toEqual({})
})

test('a color with too little contrast is changed until it is readable', () => {
  const { background } = dark

  expect(contrast(ensureContrast([0, 0, 60], background), background)).toBeGreaterThanOrEqual(4.5)
  expect(ensureContrast([255, 200, 0], background)).toEqual([255, 200, 0])
})

test.each(['dark', 'light'] as const)('every color is readable on every background in the %s scheme', (scheme) => {
  const palette = themePalette(scheme)
  const parse = (text = ''): Rgb => {
    const channels = /(\d+) (\d+) (\d+)/.exec(text) ?? []
    return [Number(channels[1]), Number(channels[2]), Number(channels[3])]
  }
  for (let color = 0; color < 256; color += 5) {
    for (let background = 0; background < 256; background += 5) {
      const css = toCss(applySgr({}, `38;5;${color};48;5;${background}`), palette)
      expect(contrast(parse(css.color), parse(css.backgroundColor))).toBeGreaterThanOrEqual(4.5)
    }
  }
})

test('inverse swaps text and background, also for text without a color', () => {
  expect(toCss({ inverse: true }, dark)).toEqual({
    color: `rgb(${dark.background.join(' ')})`,
    backgroundColor: `rgb(${dark.text.join(' ')})`,
  })
})
