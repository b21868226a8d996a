import { z } from 'zod/mini'
import { contrast } from './color.ts'
import { defaultPalettes, getPalette, type Palette, type Scheme } from './palette.ts'
import { readTar, type TarFile } from './tar.ts'
import { ThemeError } from './theme-error.ts'

/** The limit of `theme.css`, in bytes. */
export const maxCssBytes = 128 * 1024

const assetTypes: Readonly<Record<string, string>> = {
  gif: 'image/gif',
  jpeg: 'image/jpeg',
  jpg: 'image/jpeg',
  png: 'image/png',
  svg: 'image/svg+xml',
  webp: 'image/webp',
}

/** `#rgb` or `#rrggbb`, as `#rrggbb` in lower case. */
const Color = z.pipe(
  z.string().check(z.regex(/^#(?:[0-9a-f]{3}|[0-9a-f]{6})$/i)),
  z.transform((text) => (text.length === 4 ? text.replace(/[0-9a-f]/gi, '$&$&') : text).toLowerCase()),
)

const Colors = z.partial(
  z.object({
    primary: Color,
    accent: Color,
    anchor: Color,
    info: Color,
    success: Color,
    warning: Color,
    error: Color,
    background: Color,
    surface: Color,
    text: Color,
  }),
)

const AssetName = z.string().check(z.maxLength(100))

/** `theme.json`. Fields that it does not know are ignored: themes of other panels of this family have more. */
const ThemeJson = z.object({
  /** Colors outside of `light` and `dark` are for both. */
  colors: z.pipe(
    z.extend(Colors, { light: z._default(Colors, {}), dark: z._default(Colors, {}) }),
    z.transform(({ light, dark, ...both }) => ({ light: { ...both, ...light }, dark: { ...both, ...dark } })),
  ),
  /** Names of images in the archive. */
  signInBackground: z.optional(AssetName),
  logo: z.optional(AssetName),
  favicon: z.optional(AssetName),
})

export interface ThemeAsset {
  readonly name: string
  /** `image/png` and the like. */
  readonly type: string
  readonly bytes: Uint8Array
}

/** A theme that can be applied. */
export interface Theme {
  readonly palettes: Readonly<Record<Scheme, Palette>>
  readonly css: string
  readonly assets: readonly ThemeAsset[]
  /** Names of assets. */
  readonly signInBackground?: string | undefined
  readonly logo?: string | undefined
  readonly favicon?: string | undefined
}

/** Reads a theme: `theme.json`, `theme.css` and images. @throws ThemeError */
export function readTheme(archive: Uint8Array): Theme {
  const files = readTar(archive)
  const { colors, signInBackground, logo, favicon } = readJson(files)
  const assets = files.filter(({ name }) => name !== 'theme.json' && name !== 'theme.css').map(toAsset)
  for (const name of [signInBackground, logo, favicon]) {
    if (name !== undefined && !assets.some((asset) => asset.name === name)) throw new ThemeError('asset', name)
  }
  const palettes = { light: getPalette(colors.light, 'light'), dark: getPalette(colors.dark, 'dark') }
  return { palettes, css: readCss(files), assets, signInBackground, logo, favicon }
}

function readJson(files: readonly TarFile[]): z.output<typeof ThemeJson> {
  const file = files.find(({ name }) => name === 'theme.json')
  if (!file) throw new ThemeError('noThemeJson')
  let value: unknown
  try {
    value = JSON.parse(decode(file.bytes))
  } catch {
    throw new ThemeError('json')
  }
  const { data, error } = ThemeJson.safeParse(value)
  if (data) return data
  const path = error.issues[0]?.path.join('.') ?? ''
  throw new ThemeError(path.startsWith('colors.') ? 'color' : 'json', path)
}

function readCss(files: readonly TarFile[]): string {
  const file = files.find(({ name }) => name === 'theme.css')
  if (!file) return ''
  if (file.bytes.length > maxCssBytes) throw new ThemeError('cssTooLarge')
  return decode(file.bytes)
}

function toAsset({ name, bytes }: TarFile): ThemeAsset {
  const type = assetTypes[/\.(\w+)$/.exec(name)?.[1]?.toLowerCase() ?? '']
  if (!type) throw new ThemeError('asset', name)
  return { name, type, bytes }
}

const decode = (bytes: Uint8Array) => new TextDecoder().decode(bytes)

/** The lowest contrast of text in a scheme with this palette, for people who choose themes. */
export function lowestContrast(palette: Palette, scheme: Scheme): number {
  const all: Palette = { ...defaultPalettes[scheme], ...palette }
  const pairs = ['text', 'dim', 'subtle', 'link'].flatMap((name) => {
    const color = all[name]
    return color ? [all.surface, all.body].map((ground) => contrast(color, ground ?? '#ffffff')) : []
  })
  return Math.min(contrast(all.primary ?? '#000000', '#ffffff'), ...pairs)
}
