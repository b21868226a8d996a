import type { Color, Style } from './ansi.ts'

/** The palette's names, in the order of their numbers. */
const names = ['black', 'red', 'green', 'yellow', 'blue', 'magenta', 'cyan', 'white']

/** What stands behind the text, and the text without a colour, as the theme's tokens have them. */
export const grounds = {
  dark: { background: [0x0b, 0x0e, 0x13], text: [0xd5, 0xdb, 0xe4] },
  light: { background: [0xfb, 0xfc, 0xfd], text: [0x24, 0x2c, 0x38] },
} as const
export type Scheme = keyof typeof grounds

/** The palette as numbers, for colours that stand on other colours: the design's table. */
const palettes: Readonly<Record<Scheme, readonly string[]>> = {
  dark: [
    ...['758294', 'FF7A78', '6FCF97', 'E9C46A', '82AAFF', 'D2A6FF', '66D9E8', 'D5DBE4'],
    ...['8A96A6', 'FF9C99', '95E0B2', 'F5DA94', 'A8C5FF', 'E3C7FF', '99E9F2', 'FFFFFF'],
  ],
  light: [
    ...['161B23', 'B3261E', '0F6B3F', '7A5200', '2450B8', '7B3FA8', '0B6475', '5A6472'],
    ...['626D7C', 'C4372E', '157A4B', '8A5E06', '2E5FD0', '8F4CC0', '0E7488', '2A3340'],
  ],
}

type Rgb = readonly [number, number, number]

/** The least contrast of text against what it stands on. */
const leastContrast = 4.5

/** The CSS of a style's colours; text is always readable on its background. */
export function paint(style: Style, scheme: Scheme): { color?: string; backgroundColor?: string } {
  const colored = style.inverse ? { color: style.background, background: style.color } : style
  if (!style.inverse && colored.background === undefined) {
    if (colored.color === undefined) return {}
    if (typeof colored.color === 'number') return { color: `var(--ik-ansi-${nameOf(colored.color)})` }
    return { color: css(readable(colored.color, grounds[scheme].background)) }
  }
  const { background, text } = grounds[scheme]
  const behind = rgbOf(colored.background, scheme) ?? (style.inverse ? text : background)
  const front = rgbOf(colored.color, scheme) ?? (style.inverse ? background : text)
  return { color: css(readable(front, behind)), backgroundColor: css(behind) }
}

/** The colour itself, or the nearest on its way to black or white that can be read. */
export function readable(color: Rgb, background: Rgb): Rgb {
  if (contrast(color, background) >= leastContrast) return color
  const target: Rgb =
    contrast([255, 255, 255], background) > contrast([0, 0, 0], background) ? [255, 255, 255] : [0, 0, 0]
  for (let share = 0.1; share < 1; share += 0.1) {
    const mixed = color.map((part, index) =>
      Math.round(part + ((target[index] as number) - part) * share),
    ) as unknown as Rgb
    if (contrast(mixed, background) >= leastContrast) return mixed
  }
  return target
}

/** The contrast of two colours by WCAG 2. */
export function contrast(one: Rgb, other: Rgb): number {
  const [darker, lighter] = [luminance(one), luminance(other)].sort((a, b) => a - b) as [number, number]
  return (lighter + 0.05) / (darker + 0.05)
}

function luminance(color: Rgb): number {
  const [red, green, blue] = color.map((part) => {
    const share = part / 255
    return share <= 0.03928 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  }) as unknown as Rgb
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

function nameOf(index: number): string {
  return index < 8 ? (names[index] ?? 'white') : `bright-${names[index - 8] ?? 'white'}`
}

function rgbOf(color: Color | undefined, scheme: Scheme): Rgb | undefined {
  if (typeof color !== 'number') return color
  const hex = Number.parseInt(palettes[scheme][color] ?? 'FFFFFF', 16)
  return [hex >> 16, (hex >> 8) & 255, hex & 255]
}

const css = (color: Rgb): string => `rgb(${color.join(' ')})`
