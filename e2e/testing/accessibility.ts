import AxeBuilder from '@axe-core/playwright'
import type { Page } from '@playwright/test'

/** Returns what axe finds on a page, of any impact, each with its first element. */
export async function accessibilityViolations(page: Page): Promise<readonly string[]> {
  // In the page itself, and only violations: a second page for each check took longer than the check.
  const { violations } = await new AxeBuilder({ page })
    .setLegacyMode()
    .options({ resultTypes: ['violations'] })
    .analyze()
  return violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`)
}
