import AxeBuilder from '@axe-core/playwright'
import type { Page } from '@playwright/test'

const options: Parameters<AxeBuilder['options']>[0] & { readonly checks: object } = {
  resultTypes: ['violations'],
  // Menus and tooltips are rendered at the end of the page: they belong to the control that opened them.
  checks: {
    region: {
      options: { regionMatcher: 'dialog, [role=dialog], [role=alertdialog], [role=menu], [role=tooltip], svg' },
    },
  },
}

/** Returns all violations that axe finds on a page, each with its first element, and names that several buttons have. */
export async function accessibilityViolations(page: Page): Promise<readonly string[]> {
  // Legacy mode runs in the page itself: opening a second page takes longer than the check.
  const { violations } = await new AxeBuilder({ page }).setLegacyMode().options(options).analyze()
  return [
    ...violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`),
    ...(await repeatedButtonNames(page)).map((name) => `several buttons have the name ${name}`),
  ]
}

/** Users of a screen reader and of voice control cannot tell such buttons apart. axe has a rule for links only. */
async function repeatedButtonNames(page: Page): Promise<readonly string[]> {
  const dialogs = page.locator('[aria-modal="true"]').filter({ visible: true })
  const part = (await dialogs.count()) > 0 ? dialogs.last() : page.locator('body')
  const snapshot = await part.ariaSnapshot()
  const names = [...snapshot.matchAll(/^ *- '?button ("(?:[^"\\]|\\.)*")/gm)].map(([, name = '']) => name)
  return [...new Set(names.filter((name, at) => names.indexOf(name) !== at))]
}
