/** Colors as `#rrggbb`; lightness, chroma and hue are those of OKLCH (https://www.w3.org/TR/css-color-4/#ok-lab). */
export type Hex = string

export interface Oklch {
  /** 0 (black) to 1 (white). */
  readonly lightness: number
  /** 0 (gray) to about 0.3. */
  readonly chroma: number
  /** In degrees. */
  readonly hue: number
}

type Triple = readonly [number, number, number]

function parse(hex: Hex): Triple {
  const value = Number.parseInt(hex.slice(1), 16)
  return [(value >> 16) / 255, ((value >> 8) & 255) / 255, (value & 255) / 255]
}

function format(channels: Triple): Hex {
  const bytes = channels.map((channel) => Math.round(Math.min(1, Math.max(0, channel)) * 255))
  return `#${bytes.map((byte) => byte.toString(16).padStart(2, '0')).join('')}`
}

const toLinear = (channel: number) => (channel <= 0.04045 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4)
const toGamma = (channel: number) => (channel <= 0.0031308 ? channel * 12.92 : 1.055 * channel ** (1 / 2.4) - 0.055)

export function toOklch(hex: Hex): Oklch {
  const [red, green, blue] = parse(hex).map(toLinear) as unknown as Triple
  const long = Math.cbrt(0.4122214708 * red + 0.5363325363 * green + 0.0514459929 * blue)
  const medium = Math.cbrt(0.2119034982 * red + 0.6806995451 * green + 0.1073969566 * blue)
  const short = Math.cbrt(0.0883024619 * red + 0.2817188376 * green + 0.6299787005 * blue)
  const a = 1.9779984951 * long - 2.428592205 * medium + 0.4505937099 * short
  const b = 0.0259040371 * long + 0.7827717662 * medium - 0.808675766 * short
  return {
    lightness: 0.2104542553 * long + 0.793617785 * medium - 0.0040720468 * short,
    chroma: Math.hypot(a, b),
    hue: ((Math.atan2(b, a) * 180) / Math.PI + 360) % 360,
  }
}

/** The color with this lightness and hue; its chroma is reduced until a screen can show it. */
export function fromOklch({ lightness, chroma, hue }: Oklch): Hex {
  for (let reduced = chroma; ; reduced -= 0.004) {
    const channels = toLinearRgb(lightness, Math.max(0, reduced), hue)
    const isShowable = channels.every((channel) => channel >= -0.0005 && channel <= 1.0005)
    if (isShowable || reduced <= 0)
      return format(channels.map((channel) => toGamma(Math.max(0, channel))) as unknown as Triple)
  }
}

function toLinearRgb(lightness: number, chroma: number, hue: number): Triple {
  const [a, b] = [chroma * Math.cos((hue * Math.PI) / 180), chroma * Math.sin((hue * Math.PI) / 180)]
  const long = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3
  const medium = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3
  const short = (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3
  return [
    4.0767416621 * long - 3.3077115913 * medium + 0.2309699292 * short,
    -1.2684380046 * long + 2.6097574011 * medium - 0.3413193965 * short,
    -0.0041960863 * long - 0.7034186147 * medium + 1.707614701 * short,
  ]
}

/** The contrast ratio of WCAG 2.2, 1 to 21. */
export function contrast(a: Hex, b: Hex): number {
  const [darker = 0, lighter = 0] = [luminance(a), luminance(b)].toSorted((first, second) => first - second)
  return (lighter + 0.05) / (darker + 0.05)
}

function luminance(hex: Hex): number {
  const [red, green, blue] = parse(hex).map(toLinear) as unknown as Triple
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

/** Mixes two colors: a share of 0 is the start, 1 the end. */
export function mix(start: Hex, end: Hex, share: number): Hex {
  const [from, to] = [parse(start), parse(end)]
  return format(from.map((channel, index) => channel + ((to[index] ?? 0) - channel) * share) as unknown as Triple)
}

/** The nearest lightness of this color that has at least `ratio` on all the backgrounds; black or white if none has. */
export function withContrast(color: Hex, backgrounds: readonly Hex[], ratio: number): Hex {
  const suffices = (hex: Hex) => backgrounds.every((background) => contrast(hex, background) >= ratio)
  if (suffices(color)) return color
  const { lightness, chroma, hue } = toOklch(color)
  const isOnDark = backgrounds.every((background) => contrast(background, '#ffffff') > contrast(background, '#000000'))
  const step = isOnDark ? 0.01 : -0.01
  for (let next = lightness + step; next > 0 && next < 1; next += step) {
    const hex = fromOklch({ lightness: next, chroma, hue })
    if (suffices(hex)) return hex
  }
  return isOnDark ? '#ffffff' : '#000000'
}
