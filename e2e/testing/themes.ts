import { writeFile } from 'node:fs/promises'
import { writeTar } from '@innkeeper/contract/theme/tar'
import type { Page } from '@playwright/test'

/** The computed value of a color token. */
export const token = (page: Page, name: string) =>
  page.evaluate((property) => getComputedStyle(document.documentElement).getPropertyValue(property), `--ik-${name}`)

/** Writes the archive of a theme, and returns its path. */
export async function writeTheme(path: string, files: Readonly<Record<string, string | Uint8Array>>): Promise<string> {
  const archive = writeTar(
    Object.entries(files).map(([name, content]) => ({
      name,
      bytes: typeof content === 'string' ? new TextEncoder().encode(content) : content,
    })),
  )
  await writeFile(path, archive)
  return path
}

/** Chooses a file for the upload of a theme. */
export async function chooseFile(page: Page, path: string): Promise<void> {
  const choosing = page.waitForEvent('filechooser')
  await page.getByRole('button', { name: 'Upload theme' }).first().click()
  await (await choosing).setFiles(path)
}
