import type { Palette } from '@innkeeper/contract/theme/palette'
import { readTheme, type Theme } from '@innkeeper/contract/theme/theme-file'

/** A theme, ready to be shown. */
export interface LoadedTheme {
  readonly name: string
  /** The color tokens of both schemes. */
  readonly tokens: string
  /** The rules of `theme.css`. */
  readonly css: string
  /** `blob:` URLs. */
  readonly logo?: string | undefined
  readonly favicon?: string | undefined
  /** Releases the memory of the images. */
  readonly release: () => void
}

/** Downloads and reads a theme. @throws ThemeError for a damaged one, or what `fetch` throws */
export async function loadTheme(name: string, signal: AbortSignal): Promise<LoadedTheme> {
  const response = await fetch(`/theme/${encodeURIComponent(name)}.tar`, { signal })
  if (!response.ok) throw new Error(`The theme '${name}' could not be loaded: ${response.status}`)
  return toLoadedTheme(name, readTheme(new Uint8Array(await response.arrayBuffer())))
}

export function toLoadedTheme(name: string, theme: Theme): LoadedTheme {
  const urls = new Map(
    theme.assets.map((asset) => [
      asset.name,
      URL.createObjectURL(new Blob([new Uint8Array(asset.bytes)], { type: asset.type })),
    ]),
  )
  const getUrl = (asset: string | undefined) => (asset === undefined ? undefined : urls.get(asset))
  const background = getUrl(theme.signInBackground)
  return {
    name,
    tokens: `${toTokens('light', theme.palettes.light)}\n${toTokens('dark', theme.palettes.dark)}`,
    css: `${background ? `:root { --ik-auth-image: url("${background}"); }\n` : ''}${withAssets(theme.css, urls)}`,
    logo: getUrl(theme.logo),
    favicon: getUrl(theme.favicon),
    release: () => {
      for (const url of urls.values()) URL.revokeObjectURL(url)
    },
  }
}

function toTokens(scheme: string, palette: Palette): string {
  const lines = Object.entries(palette).map(([name, color]) => `  --ik-${name}: ${color};`)
  return `:root[data-mantine-color-scheme="${scheme}"] {\n${lines.join('\n')}\n}`
}

/** Replaces the names of images in `url(…)`, which the panel has checked, by the URLs of their content. */
function withAssets(css: string, urls: ReadonlyMap<string, string>): string {
  return css.replace(/url\((["']?)(?:\.\/)?([\w ./-]{1,100})\1\)/g, (_, _quote: string, name: string) => {
    return `url("${urls.get(name) ?? ''}")`
  })
}
