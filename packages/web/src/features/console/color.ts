import type { Color, Style } from './ansi.ts'

export type Rgb = readonly [red: number, green: number, blue: number]

export interface Palette {
  readonly background: Rgb
  /** The color of text without a style. */
  readonly text: Rgb
  /** The 16 ANSI colors, in the order of `colorNames`. */
  readonly colors: readonly Rgb[]
}

const hues = ['black', 'red', 'green', 'yellow', 'blue', 'magenta', 'cyan', 'white']

/** The names of the palette's 16 colors in the theme: `--ik-ansi-<name>`. */
export const colorNames = [...hues, ...hues.map((hue) => `bright-${hue}`)]

/** The contrast of text that WCAG 2 requires (AA). */
const minContrast = 4.5

/** Returns the CSS colors of a style. Text always has the required contrast on its background. */
export function toCss(style: Style, palette: Palette): { color?: string; backgroundColor?: string } {
  const { color, background } = style.inverse ? { color: style.background, background: style.color } : style
  if (!style.inverse && background === undefined) {
    if (color === undefined) return {}
    if (typeof color === 'number') return { color: `var(--ik-ansi-${colorNames[color]})` }
    return { color: rgb(ensureContrast(color, palette.background)) }
  }
  const [defaultColor, defaultBackground] = style.inverse
    ? [palette.background, palette.text]
    : [palette.text, palette.background]
  const behind = toRgb(background, palette) ?? defaultBackground
  return { color: rgb(ensureContrast(toRgb(color, palette) ?? defaultColor, behind)), backgroundColor: rgb(behind) }
}

/** Returns the color, mixed with as much black or white as it needs for the required contrast. */
export function ensureContrast(color: Rgb, background: Rgb): Rgb {
  if (contrast(color, background) >= minContrast) return color
  const target: Rgb =
    contrast([255, 255, 255], background) > contrast([0, 0, 0], background) ? [255, 255, 255] : [0, 0, 0]
  for (let share = 0.1; share < 1; share += 0.1) {
    const mixed = color.map((channel, index) =>
      Math.round(channel + ((target[index] as number) - channel) * share),
    ) as unknown as Rgb
    if (contrast(mixed, background) >= minContrast) return mixed
  }
  return target
}

/** The contrast ratio of two colors (WCAG 2). */
export function contrast(a: Rgb, b: Rgb): number {
  const [darker, lighter] = [luminance(a), luminance(b)].sort((a, b) => a - b) as [number, number]
  return (lighter + 0.05) / (darker + 0.05)
}

function luminance(color: Rgb): number {
  const [red, green, blue] = color.map((channel) => {
    const share = channel / 255
    return share <= 0.03928 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  }) as unknown as Rgb
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

function toRgb(color: Color | undefined, palette: Palette): Rgb | undefined {
  return typeof color === 'number' ? palette.colors[color] : color
}

const rgb = (color: Rgb): string => `rgb(${color.join(' ')})`
