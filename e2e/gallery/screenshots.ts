import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { defaultLanguage as english, getTag } from '@innkeeper/contract/text/languages'
import { builtInTheme } from '@innkeeper/contract/theme/names'
import type { Browser, BrowserContext, Page } from '@playwright/test'
import { accessibilityViolations } from '../testing/accessibility.ts'
import { controlsOutside, cutLabels, sidewaysScroll, smallButtons } from '../testing/layout.ts'
import type { GalleryOptions } from './options.ts'
import type { SampleData } from './sample-data.ts'
import type { Screen } from './screens.ts'

export interface Gallery {
  readonly browser: Browser
  readonly data: SampleData
  readonly options: GalleryOptions
  readonly theme: string
  readonly getUrl: (screen: Screen) => string
  /** The width of the window when pages are opened: menus close when it changes. */
  readonly startWidth?: number | undefined
}

const heights: Readonly<Record<number, number>> = { 320: 640, 390: 844, 768: 1024, 1024: 768, 1440: 900, 1920: 1080 }
/** Generous: other programs may keep the machine busy. */
const timeoutMs = 60_000

/** Takes all pictures of one screen in one theme and returns what is wrong with it. */
export async function takeScreenshots(gallery: Gallery, screen: Screen): Promise<readonly string[]> {
  const context = await gallery.browser.newContext({
    locale: 'en-US',
    reducedMotion: 'reduce',
    hasTouch: gallery.options.hasTouch,
    forcedColors: gallery.options.hasForcedColors ? 'active' : 'none',
  })
  context.setDefaultTimeout(timeoutMs)
  try {
    const page = await open(context, gallery, screen)
    const findings: string[] = []
    for (const locale of gallery.options.locales) findings.push(...(await pictureSizes(page, gallery, screen, locale)))
    return findings
  } catch (error) {
    const folder = join(gallery.options.out, gallery.theme, 'failed')
    await context.pages()[0]?.screenshot({ path: join(folder, `${screen.name}.png`) })
    const reason = error instanceof Error ? error.message.split('\n')[0] : String(error)
    return [`${screen.name} (${gallery.theme}): could not be shown: ${reason}`]
  } finally {
    await context.close()
  }
}

/** Opens a screen and brings it into its state. */
export async function open(
  context: BrowserContext,
  { data, getUrl, theme, startWidth = 1440 }: Pick<Gallery, 'data' | 'getUrl' | 'theme' | 'startWidth'>,
  screen: Screen,
): Promise<Page> {
  const role = screen.as ?? 'admin'
  if (role !== 'guest') await data.sessions[role].signInTo(context)
  const page = await context.newPage()
  await page.setViewportSize({ width: startWidth, height: 900 })
  await screen.before?.(page)
  await page.goto(getUrl(screen) + (typeof screen.path === 'string' ? screen.path : screen.path(data)))
  if (screen.shows) await page.getByText(screen.shows).filter({ visible: true }).first().waitFor()
  await screen.steps?.(page, data)
  // The theme is loaded after the page. A installation that is not set up has no default theme.
  if (theme !== builtInTheme && !screen.isSetup)
    await page.locator('#innkeeper-theme:not(:empty)').waitFor({ state: 'attached' })
  return page
}

async function pictureSizes(page: Page, gallery: Gallery, screen: Screen, locale: string): Promise<readonly string[]> {
  const { options, theme } = gallery
  const findings: string[] = []
  await selectLocale(page, locale)
  for (const width of options.widths) {
    await page.setViewportSize({ width, height: heights[width] ?? 900 })
    for (const scheme of options.schemes) {
      await page.emulateMedia({ colorScheme: scheme, reducedMotion: 'reduce' })
      await settle(page)
      await screen.part?.(page).evaluate((element) => element.scrollIntoView({ block: 'center' }))
      const folder = join(options.out, theme, ...(locale === english ? [] : [locale]), `${scheme}-${width}`)
      await mkdir(folder, { recursive: true })
      await page.screenshot({ path: join(folder, `${screen.name}.png`), fullPage: options.isFullPage })
      if (!options.checksAccessibility) continue
      for (const violation of await accessibilityViolations(page))
        findings.push(`${screen.name} (${theme}, ${locale}, ${scheme}, ${width} px): ${violation}`)
    }
    const overflow = await sidewaysScroll(page)
    const at = `${screen.name} (${theme}, ${locale}, ${width} px)`
    if (overflow > 0) findings.push(`${at}: scrolls sideways by ${overflow} px`)
    for (const control of await controlsOutside(page))
      findings.push(`${at}: outside its card or the window: ${control}`)
    for (const label of await cutLabels(page)) findings.push(`${at}: cut: ${label}`)
    if (options.hasTouch)
      for (const button of await smallButtons(page)) findings.push(`${at}: too small for a finger: ${button}`)
  }
  return findings
}

/** Changes the language as if it had been selected in another tab: the screen, its dialogs and inputs stay. */
async function selectLocale(page: Page, locale: string): Promise<void> {
  const language = getTag(locale)
  if ((await page.locator('html').getAttribute('lang')) === language) return
  await page.evaluate(
    (newValue) => window.dispatchEvent(new StorageEvent('storage', { key: 'innkeeper.locale', newValue })),
    locale,
  )
  await page.locator(`html[lang="${language}"]`).waitFor({ state: 'attached' })
}

/** Waits until layout and colors have followed a new size or color scheme. */
async function settle(page: Page): Promise<void> {
  await page.evaluate(async () => {
    await document.fonts.ready
    const frame = () => new Promise((resolve) => requestAnimationFrame(resolve))
    await frame()
    const transitions = document.getAnimations().filter((animation) => animation instanceof CSSTransition)
    await Promise.allSettled(transitions.map(({ finished }) => finished))
    await frame()
  })
}
