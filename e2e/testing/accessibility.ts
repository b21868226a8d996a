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

/** Returns all violations that axe finds on a page, each with its first element. */
export async function accessibilityViolations(page: Page): Promise<readonly string[]> {
  // Legacy mode runs in the page itself: opening a second page takes longer than the check.
  const { violations } = await new AxeBuilder({ page }).setLegacyMode().options(options).analyze()
  return violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`)
}
