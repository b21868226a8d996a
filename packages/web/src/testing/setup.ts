import { notifications } from '@mantine/notifications'
import { cleanup, configure } from '@testing-library/react'
import { afterEach, vi } from 'vitest'
import { loadReasons } from '../ui/text/reason-text.ts'

// What Mantine asks of a browser and jsdom does not have.
window.matchMedia = (query) => ({
  matches: false,
  media: query,
  onchange: null,
  addListener: () => undefined,
  removeListener: () => undefined,
  addEventListener: () => undefined,
  removeEventListener: () => undefined,
  dispatchEvent: () => false,
})
window.ResizeObserver = class {
  observe(): void {}
  unobserve(): void {}
  disconnect(): void {}
}
Element.prototype.scrollIntoView = () => undefined
Object.defineProperty(document, 'fonts', {
  value: { addEventListener: () => undefined, removeEventListener: () => undefined, ready: Promise.resolve() },
  configurable: true,
})

// A screen is loaded when first visited, which takes its time on a busy machine.
configure({ asyncUtilTimeout: 5_000, reactStrictMode: true })

// Tests do not wait until the browser is idle.
await loadReasons()

afterEach(() => {
  cleanup()
  configure({ reactStrictMode: true })
  notifications.clean()
  notifications.cleanQueue()
  vi.unstubAllGlobals()
  vi.restoreAllMocks()
  localStorage.clear()
  sessionStorage.clear()
  for (const pair of document.cookie.split('; ')) {
    // biome-ignore lint/suspicious/noDocumentCookie: jsdom has no cookie store
    document.cookie = `${pair.split('=')[0]}=; Path=/; Max-Age=0`
  }
})
