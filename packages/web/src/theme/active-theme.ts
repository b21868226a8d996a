import { builtInTheme } from '@innkeeper/contract/theme/names'
import { useSyncExternalStore } from 'react'
import { Emitter } from '../api/emitter.ts'
import { browserStorage } from '../api/storage.ts'
import { viewLoadTimeoutMs } from '../api/timeout.ts'
import { setTabIcon } from './browser-tab.ts'
import type { LoadedTheme } from './load-theme.ts'

const storageKey = 'innkeeper.theme'
const styleId = 'innkeeper-theme'
const changed = new Emitter()
let shown: LoadedTheme | undefined
let wantedName = builtInTheme

/** Applies the colors of the theme that was last used in this browser, until its archive is loaded. */
export function applyStoredTheme(): void {
  const tokens = browserStorage.get(storageKey)
  if (tokens) writeStyle(tokens)
}

/**
 * Loads a theme and shows it. A later call wins over an earlier one that is still loading.
 * @throws when it cannot be loaded; the previous theme stays.
 */
export async function showTheme(name: string): Promise<void> {
  wantedName = name
  if (name === (shown?.name ?? builtInTheme)) return
  if (name === builtInTheme) return show(undefined)
  const { loadTheme } = await import('./load-theme.ts')
  const theme = await loadTheme(name, AbortSignal.timeout(viewLoadTimeoutMs))
  if (wantedName === name) show(theme)
  else theme.release()
}

/** Shows a theme that is not stored, for a preview. */
export function showLoadedTheme(theme: LoadedTheme): void {
  wantedName = theme.name
  show(theme, { isStored: false })
}

function show(theme: LoadedTheme | undefined, { isStored = true } = {}): void {
  const previous = shown
  shown = theme
  writeStyle(theme ? `${theme.tokens}\n@layer theme {\n${theme.css}\n}` : '')
  setTabIcon(theme?.favicon)
  updateBarColor()
  if (isStored && theme) browserStorage.set(storageKey, theme.tokens)
  else if (isStored) browserStorage.remove(storageKey)
  previous?.release()
  changed.emit()
}

/** Gives the bar of the browser and of the installed app the color of the page, whatever the system prefers. */
export function updateBarColor(): void {
  const color = getComputedStyle(document.documentElement).getPropertyValue('--ik-surface').trim()
  if (color === '') return
  for (const meta of document.querySelectorAll<HTMLMetaElement>('meta[name="theme-color"]')) meta.content = color
}

function writeStyle(css: string): void {
  const style = document.getElementById(styleId) ?? document.createElement('style')
  style.id = styleId
  style.textContent = css
  document.head.append(style)
}

/** The theme on screen; `undefined` for the built-in one. */
export function useActiveTheme(): LoadedTheme | undefined {
  return useSyncExternalStore(changed.on, () => shown)
}
