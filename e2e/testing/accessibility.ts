import AxeBuilder from '@axe-core/playwright'
import type { Page } from '@playwright/test'

/** Returns all violations that axe finds on a page, each with its first element. */
export async function accessibilityViolations(page: Page): Promise<readonly string[]> {
  // Legacy mode runs in the page itself: opening a second page takes longer than the check.
  const { violations } = await new AxeBuilder({ page })
    .setLegacyMode()
    .options({ resultTypes: ['violations'] })
    .analyze()
  return violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`)
}
