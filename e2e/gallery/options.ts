import { parseArgs } from 'node:util'

export const schemes = ['dark', 'light'] as const
export type Scheme = (typeof schemes)[number]
const allWidths = [320, 390, 768, 1024, 1440, 1920]

export interface GalleryOptions {
  readonly out: string
  /** Names of screens; empty for all. */
  readonly only: readonly string[]
  readonly schemes: readonly Scheme[]
  readonly widths: readonly number[]
  /** Empty for all that the panel offers. */
  readonly themes: readonly string[]
  /** Languages. `en_XA` is English with longer texts. */
  readonly locales: readonly string[]
  readonly isFullPage: boolean
  /** As on a touch screen. */
  readonly hasTouch: boolean
  /** As with a contrast theme of Windows. */
  readonly hasForcedColors: boolean
  /** Checks every picture with axe. */
  readonly checksAccessibility: boolean
  readonly isServing: boolean
}

/** @throws Error for an unknown option or value. */
export function parseOptions(args: readonly string[]): GalleryOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      out: { type: 'string', default: 'gallery' },
      only: { type: 'string', default: '' },
      schemes: { type: 'string', default: schemes.join(',') },
      widths: { type: 'string', default: allWidths.join(',') },
      themes: { type: 'string', default: '' },
      locales: { type: 'string', default: 'en_US' },
      full: { type: 'boolean', default: false },
      touch: { type: 'boolean', default: false },
      'forced-colors': { type: 'boolean', default: false },
      axe: { type: 'boolean', default: false },
      serve: { type: 'boolean', default: false },
      keep: { type: 'boolean', default: false },
    },
  })
  return {
    out: values.out,
    only: parseList(values.only),
    schemes: parseList(values.schemes).map(toScheme),
    widths: parseList(values.widths).map(toWidth),
    themes: parseList(values.themes),
    locales: parseList(values.locales),
    isFullPage: values.full,
    hasTouch: values.touch,
    hasForcedColors: values['forced-colors'],
    checksAccessibility: values.axe,
    isServing: values.serve || values.keep,
  }
}

function parseList(text: string): readonly string[] {
  return text
    .split(',')
    .map((item) => item.trim())
    .filter(Boolean)
}

function toScheme(text: string): Scheme {
  const scheme = schemes.find((one) => one === text)
  if (!scheme) throw new Error(`--schemes takes ${schemes.join(' and ')}, not "${text}"`)
  return scheme
}

function toWidth(text: string): number {
  const width = Number(text)
  if (!Number.isInteger(width) || width < 200 || width > 4000) throw new Error(`--widths: "${text}" is not a width`)
  return width
}
