import { contrast, fromOklch, type Hex, mix, toOklch, withContrast } from './color.ts'
import { ThemeError } from './theme-error.ts'

export const schemes = ['light', 'dark'] as const
export type Scheme = (typeof schemes)[number]

/** The colors that a theme may choose for a scheme. The others follow from them. */
export interface SchemeColors {
  readonly primary?: Hex | undefined
  readonly accent?: Hex | undefined
  /** Links; else they follow from `primary`. */
  readonly anchor?: Hex | undefined
  readonly info?: Hex | undefined
  readonly success?: Hex | undefined
  readonly warning?: Hex | undefined
  readonly error?: Hex | undefined
  /** The page, cards on it, and text on both. */
  readonly background?: Hex | undefined
  readonly surface?: Hex | undefined
  readonly text?: Hex | undefined
}

/** Colors by the name of their token: `surface` is `--ik-surface`. */
export type Palette = Readonly<Record<string, Hex>>

/** The colors of the built-in theme that others are computed from, as `tokens.css` has them. */
export const defaultPalettes = {
  light: {
    body: '#f5f6f8',
    surface: '#ffffff',
    raised: '#ffffff',
    dialog: '#ffffff',
    sunken: '#eceff3',
    hover: '#f0f2f6',
    field: '#ffffff',
    text: '#161b23',
    dim: '#4a5463',
    subtle: '#626d7c',
    primary: '#3560cf',
    accent: '#8a5a08',
    highlight: '#c6820f',
    online: '#137a4b',
    offline: '#c22f2f',
    warning: '#9a5200',
    info: '#1f5fb8',
    console: '#fbfcfd',
    'primary-soft': '#e7edfb',
    link: '#2a54bf',
    'online-soft': '#e2f3ea',
    'offline-soft': '#fbe7e6',
    'warning-soft': '#fceedc',
    'info-soft': '#e4eefb',
    unknown: '#5e6876',
    'unknown-soft': '#ebeef2',
  },
  dark: {
    body: '#0f1319',
    surface: '#161b23',
    raised: '#1d2430',
    dialog: '#181e28',
    sunken: '#0b0e13',
    hover: '#1f2733',
    field: '#11161d',
    text: '#e8ecf2',
    dim: '#a9b3c1',
    subtle: '#8792a2',
    primary: '#3f6bdb',
    accent: '#f2b658',
    highlight: '#f2b658',
    online: '#4cc38a',
    offline: '#ff7a78',
    warning: '#ffa657',
    info: '#79b8ff',
    console: '#0b0e13',
    'primary-soft': '#1c2a4a',
    link: '#8fb2ff',
    'online-soft': '#13302a',
    'offline-soft': '#3a1e22',
    'warning-soft': '#38281a',
    'info-soft': '#162b44',
    unknown: '#9aa5b4',
    'unknown-soft': '#242c38',
  },
} as const satisfies Record<Scheme, Palette>

/** Contrast that WCAG 2.2 AA asks for: of text, and of shapes that carry meaning. */
const [textRatio, shapeRatio] = [4.5, 3]
/** Online and offline must differ in hue by so many degrees. */
const minStatusHueDifference = 50

/**
 * Computes the tokens that differ from the built-in theme. A seed that people could not read keeps its hue and gets another
 * lightness.
 * @throws ThemeError when text, surface and background cannot be read together, or states look alike.
 */
export function getPalette(colors: SchemeColors, scheme: Scheme): Palette {
  const neutrals = getNeutrals(colors, scheme)
  const base = { ...defaultPalettes[scheme], ...neutrals }
  const palette = {
    ...neutrals,
    ...primaryTokens(colors, base, scheme),
    ...accentTokens(colors, base, scheme),
    ...statusTokens(colors, base, scheme),
  }
  const readable = { ...palette, ...readableOnSoft({ ...base, ...palette }) }
  checkStatusColors({ ...base, ...readable })
  return readable
}

/** What rows show that may be selected, and links in alerts. */
function readableOnSoft(all: Base): Palette {
  const ofStatus = (['online', 'offline', 'warning', 'info', 'unknown'] as const).map(
    (name) => [name, [all['primary-soft'], all[`${name}-soft`]]] as const,
  )
  const softGrounds: readonly (readonly [keyof Base, readonly Hex[]])[] = [
    ['dim', [all['primary-soft']]],
    ['accent', [all['primary-soft']]],
    ['link', [all['primary-soft'], all['warning-soft'], all['offline-soft'], all['info-soft']]],
    ...ofStatus,
  ]
  const colors = softGrounds.map(
    ([name, grounds]) => [name, withContrast(all[name], [...getGrounds(all), ...grounds], textRatio)] as const,
  )
  return Object.fromEntries(colors.filter(([name, color]) => color !== all[name]))
}

type Base = Record<keyof (typeof defaultPalettes)['light'], Hex>

/** All colors that text may be displayed on. */
const getGrounds = ({ body, surface, raised, dialog, hover, field }: Base) => [
  body,
  surface,
  raised,
  dialog,
  hover,
  field,
]

function getNeutrals({ background, surface, text }: SchemeColors, scheme: Scheme): Palette {
  if (!background && !surface && !text) return {}
  const standard = defaultPalettes[scheme]
  const top = surface ?? standard.surface
  const ink = text ?? standard.text
  const body = background ?? (surface ? mix(surface, '#000000', scheme === 'dark' ? 0.3 : 0.03) : standard.body)
  const isDark = scheme === 'dark'
  const grounds = {
    body,
    surface: top,
    raised: isDark ? mix(top, ink, 0.05) : top,
    dialog: isDark ? mix(top, ink, 0.02) : top,
    sunken: isDark ? mix(body, '#000000', 0.25) : mix(top, ink, 0.08),
    hover: mix(top, ink, isDark ? 0.07 : 0.05),
    field: isDark ? mix(top, body, 0.6) : top,
    console: isDark ? mix(body, '#000000', 0.25) : mix(top, body, 0.3),
  }
  for (const [name, ground] of Object.entries(grounds)) {
    const ratio = contrast(ink, ground)
    if (ratio < textRatio) throw new ThemeError('contrast', `${scheme}: text on ${name}, ${ratio.toFixed(1)} : 1`)
  }
  const readable = (share: number, ratio: number) => withContrast(mix(ink, top, share), Object.values(grounds), ratio)
  return {
    ...grounds,
    text: ink,
    dim: readable(0.3, textRatio),
    subtle: readable(0.42, textRatio),
    border: mix(top, ink, 0.13),
    'border-strong': readable(0.55, shapeRatio),
    'field-border': readable(0.6, shapeRatio),
    grid: mix(top, ink, 0.08),
    unknown: readable(0.35, textRatio),
    'unknown-soft': mix(top, ink, 0.08),
    'console-text': mix(ink, grounds.console, 0.08),
    'console-dim': readable(0.4, textRatio),
  }
}

function primaryTokens({ primary, anchor }: SchemeColors, base: Base, scheme: Scheme): Palette {
  if (!primary) return anchor ? { link: withContrast(anchor, getGrounds(base), textRatio) } : {}
  // Its text is white.
  const fill = withContrast(primary, ['#ffffff'], textRatio)
  const soft = mix(base.surface, fill, scheme === 'dark' ? 0.24 : 0.12)
  return {
    primary: fill,
    'primary-hover': darker(fill),
    'primary-soft': soft,
    'primary-line': mix(base.surface, fill, 0.45),
    link: withContrast(anchor ?? primary, [...getGrounds(base), soft], textRatio),
    'chart-1': withContrast(primary, [base.surface], shapeRatio),
  }
}

function accentTokens({ accent }: SchemeColors, base: Base, scheme: Scheme): Palette {
  if (!accent) return {}
  const soft = mix(base.surface, accent, scheme === 'dark' ? 0.16 : 0.14)
  const text = withContrast(accent, [...getGrounds(base), soft], textRatio)
  const shape = withContrast(accent, getGrounds(base), shapeRatio)
  return {
    accent: text,
    'accent-soft': soft,
    'on-accent': contrast(text, '#ffffff') >= textRatio ? '#ffffff' : '#161b23',
    highlight: shape,
    'chart-2': withContrast(accent, [base.surface], shapeRatio),
    'daemon-row': mix(base.console, accent, scheme === 'dark' ? 0.09 : 0.1),
    match: mix(base.console, accent, scheme === 'dark' ? 0.28 : 0.4),
  }
}

function statusTokens(colors: SchemeColors, base: Base, scheme: Scheme): Palette {
  const { success, error, warning, info } = colors
  const seeds = { online: success, offline: error, warning, info }
  const tokens = Object.entries(seeds).flatMap(([name, seed]) => {
    // On other surfaces the built-in colors are computed again.
    if (!seed && !colors.surface && !colors.background) return []
    const color = seed ?? base[name as keyof typeof seeds]
    const soft = mix(base.surface, color, scheme === 'dark' ? 0.16 : 0.12)
    return [
      [name, withContrast(color, [...getGrounds(base), soft], textRatio)],
      [`${name}-soft`, soft],
    ] as const
  })
  if (!error) return Object.fromEntries(tokens)
  const danger = withContrast(error, ['#ffffff'], textRatio)
  return { ...Object.fromEntries(tokens), danger, 'danger-hover': darker(danger) }
}

/** A state is read by its color too: a theme must not make a crash look like a running server. */
function checkStatusColors({ online = '', offline = '' }: Palette): void {
  const [first, second] = [toOklch(online), toOklch(offline)]
  const difference = Math.abs(((first.hue - second.hue + 540) % 360) - 180)
  if (difference < minStatusHueDifference || first.chroma < 0.04 || second.chroma < 0.04) {
    throw new ThemeError('statusColors', `${online}, ${offline}`)
  }
}

function darker(hex: Hex): Hex {
  const { lightness, chroma, hue } = toOklch(hex)
  return fromOklch({ lightness: lightness - 0.05, chroma, hue })
}
