import { viewLoadTimeoutMs, withTimeout } from './timeout.ts'

/** The pauses before the second and the third try. */
const pausesMs = [1_000, 3_000] as const

interface LoadCodeOptions {
  readonly timeoutMs?: number
}

/**
 * Loads code with an `import()`. A file that does not arrive, on a network that fails for a moment, is tried twice again.
 * @throws the error of the last try, or a `TimeoutError`.
 */
export async function loadCode<T>(
  load: () => Promise<T>,
  { timeoutMs = viewLoadTimeoutMs }: LoadCodeOptions = {},
): Promise<T> {
  return await withTimeout(tryToLoad(load, pausesMs), timeoutMs)
}

async function tryToLoad<T>(load: () => Promise<T>, [pauseMs, ...others]: readonly number[]): Promise<T> {
  try {
    return await load()
  } catch (error) {
    if (pauseMs === undefined || !isMissingFile(error)) throw error
    await new Promise((resolve) => setTimeout(resolve, pauseMs))
    await reloadStyles()
    return await tryToLoad(load, others)
  }
}

/** Browsers reject an `import()` without its file with a `TypeError`, and Vite with its own message for a style sheet. */
function isMissingFile(error: unknown): boolean {
  return error instanceof TypeError || (error instanceof Error && error.message.startsWith('Unable to preload CSS'))
}

let stylesReload: Promise<unknown> | undefined

/**
 * Requests the style sheets again that could not be loaded: another `import()` takes their elements for loaded ones. Calls at the
 * same time share one reload, because a replaced element reports nothing.
 */
async function reloadStyles(): Promise<void> {
  stylesReload ??= Promise.allSettled(getMissingStyles().map(reloadStyle))
  // The import that follows fails by itself when the code is missing too.
  await stylesReload
  stylesReload = undefined
}

const getMissingStyles = () =>
  [...document.head.querySelectorAll<HTMLLinkElement>('link[rel="stylesheet"]')].filter(isMissing)

function reloadStyle(link: HTMLLinkElement): Promise<void> {
  const again = document.createElement('link')
  again.rel = 'stylesheet'
  again.href = link.href
  return new Promise((resolve, reject) => {
    again.onload = () => resolve()
    again.onerror = () => reject(new TypeError(`Unable to load ${again.href}`))
    link.replaceWith(again)
  })
}

/** Browsers differ: a style sheet that could not be loaded is `null`, or its rules cannot be read. */
function isMissing({ sheet }: HTMLLinkElement): boolean {
  try {
    return sheet?.cssRules === undefined
  } catch {
    return true
  }
}

/** Whether the panel has another build of the app than the one that runs here. `false` when that is not known. */
export async function hasNewBuild(): Promise<boolean> {
  const running = document.querySelector<HTMLScriptElement>('script[type="module"][src]')
  if (!running) return false
  try {
    const response = await fetch('/', { cache: 'no-store', headers: { accept: 'text/html' } })
    return response.ok && !(await response.text()).includes(new URL(running.src).pathname)
  } catch {
    // The panel cannot be reached: that is the problem, not another build.
    return false
  }
}
