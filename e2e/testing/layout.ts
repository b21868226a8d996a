import type { Locator, Page } from '@playwright/test'

export const longName = 'Winter survival of the northern valley 2'
export const longAddress = `${'game-'.repeat(9)}host.example.net`

export interface Box {
  readonly left: number
  readonly right: number
  readonly top: number
  readonly bottom: number
}

export interface Control {
  readonly name: string
  readonly box: Box
}

/** The visible links, buttons and inputs inside an element, with their positions. */
export async function controlsIn(part: Locator): Promise<readonly Control[]> {
  return await part
    .locator('a, button, input')
    .filter({ visible: true })
    .evaluateAll((controls) =>
      controls.map((control) => {
        const { left, right, top, bottom } = control.getBoundingClientRect()
        return { name: control.ariaLabel ?? control.textContent ?? '', box: { left, right, top, bottom } }
      }),
    )
}

export async function readBox(part: Locator): Promise<Box> {
  const box = (await part.boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 }
  return { left: box.x, right: box.x + box.width, top: box.y, bottom: box.y + box.height }
}

/** The controls inside an element that extend beyond it or the window. */
export async function readControlsOutside(page: Page, part: Locator): Promise<readonly string[]> {
  const frame = await readBox(part)
  const edge = Math.min(frame.right, page.viewportSize()?.width ?? 0)
  // A control that is being replaced has no box.
  const controls = (await controlsIn(part)).filter(({ box }) => box.right > box.left)
  return controls.filter(({ box }) => box.left < frame.left - 1 || box.right > edge + 1).map(({ name }) => name)
}

/** The visible buttons and checkboxes whose touch target is smaller than 44 × 44 pixels. */
export async function smallButtons(page: Page): Promise<readonly string[]> {
  const buttons = page
    .locator('button, a.mantine-Button-root, a.mantine-ActionIcon-root, input[type="checkbox"]')
    .filter({ visible: true })
  const sizes = await buttons.evaluateAll((all) =>
    all.map((button) => {
      // A tap on a label is one on its checkbox.
      const labels = button instanceof HTMLInputElement ? [...(button.labels ?? [])] : []
      const boxes = [button, ...labels].map((part) => part.getBoundingClientRect())
      const width = Math.max(...boxes.map(({ right }) => right)) - Math.min(...boxes.map(({ left }) => left))
      const height = Math.max(...boxes.map(({ bottom }) => bottom)) - Math.min(...boxes.map(({ top }) => top))
      // The touch target may be larger than the button.
      const target = getComputedStyle(button, button instanceof HTMLInputElement ? '::before' : '::after')
      return {
        name: button.ariaLabel ?? (labels[0] ?? button).textContent ?? '',
        width: Math.round(Math.max(width, Number.parseFloat(target.width) || 0)),
        height: Math.round(Math.max(height, Number.parseFloat(target.height) || 0)),
      }
    }),
  )
  return sizes
    .filter(({ width, height }) => width < 44 || height < 44)
    .map(({ name, width, height }) => `${name} (${width} × ${height})`)
}

/** The width of the page beyond that of the window, in pixels. */
export function sidewaysScroll(page: Page): Promise<number> {
  return page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)
}

/** The visible controls of a page whose text is truncated without an ellipsis. */
export function cutLabels(page: Page): Promise<readonly string[]> {
  return page.evaluate(() => {
    const isCut = (element: Element) => {
      const { overflowX, textOverflow } = getComputedStyle(element)
      return (
        /hidden|clip/.test(overflowX) && textOverflow !== 'ellipsis' && element.scrollWidth > element.clientWidth + 1
      )
    }
    const controls = [...document.querySelectorAll('a, button, label, [role="tab"]')].filter(
      (control) =>
        control.clientWidth > 2 && control.checkVisibility({ opacityProperty: true, visibilityProperty: true }),
    )
    const found = controls.filter((control) =>
      [control, ...control.querySelectorAll('*')].some(
        (part) => part instanceof HTMLElement && part.clientWidth > 2 && part.innerText.trim() !== '' && isCut(part),
      ),
    )
    return found.map((control) => (control.textContent ?? '').trim().slice(0, 80))
  })
}

/**
 * The visible controls of a page that extend beyond their card, their dialog or the window, except those inside an element that
 * scrolls horizontally.
 */
export function controlsOutside(page: Page): Promise<readonly string[]> {
  return page.evaluate(() => {
    const frames = '.mantine-Paper-root, [role="dialog"], [role="alertdialog"]'
    const controls = 'a, button, input, textarea, select, [role="tab"], [role="switch"]'
    const isScrollable = (element: Element) => {
      for (let parent = element.parentElement; parent; parent = parent.parentElement) {
        if (/auto|scroll/.test(getComputedStyle(parent).overflowX) && parent.scrollWidth > parent.clientWidth)
          return true
      }
      return false
    }
    const found = [...document.querySelectorAll(controls)].filter((control) => {
      const { left, right, width, height } = control.getBoundingClientRect()
      // Inputs of switches and skip links are one pixel wide or outside on purpose.
      if (width <= 2 || height <= 2 || !control.checkVisibility({ opacityProperty: true, visibilityProperty: true }))
        return false
      if (right <= 0 || isScrollable(control)) return false
      const frame = control.parentElement?.closest(frames)?.getBoundingClientRect()
      const start = Math.max(frame?.left ?? 0, 0)
      const end = Math.min(frame?.right ?? innerWidth, innerWidth)
      return left < start - 1 || right > end + 1
    })
    return found.map(
      (control) => (control.ariaLabel ?? control.textContent ?? '').trim().slice(0, 80) || control.tagName,
    )
  })
}
