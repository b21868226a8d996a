import type { Page } from '@playwright/test'

/** The text of the open file. */
export const code = (page: Page) => page.getByRole('textbox', { name: /^Content of/ })

/** Types at the end of a line, counted from 1. */
export async function typeAtEnd(page: Page, line: number, text: string): Promise<void> {
  await code(page)
    .locator('.cm-line')
    .nth(line - 1)
    .click()
  await page.keyboard.press('End')
  await page.keyboard.type(text)
}
