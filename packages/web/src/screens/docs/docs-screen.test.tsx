import { screen } from '@testing-library/react'
import { expect, test } from 'vitest'
import { openApp } from '../../testing/open-app.tsx'
import { docsAddresses } from '../../ui/docs-link.tsx'
import { headingId, loadDocsPage, resolveDocsLink } from './docs-files.ts'

test('the first page leads to the others, and links of pages stay in the app', async () => {
  const { user, path } = await openApp('/docs', { as: [] })

  await user.click(await screen.findByRole('link', { name: 'Backups of Innkeeper' }))

  await screen.findByRole('heading', { name: 'Backups of Innkeeper', level: 1 })
  expect(path()).toBe('/docs/backup')
  expect(screen.getByRole('link', { name: 'service' }).getAttribute('href')).toBe('/docs/install#stop-and-restart')
})

test('a page that does not exist leads to the first one', async () => {
  const { user } = await openApp('/docs/nothing', { as: [] })

  await user.click(await screen.findByRole('link', { name: 'All pages' }))

  await screen.findByRole('heading', { name: 'Documentation', level: 1 })
})

test('links to files that are not part of the app are plain text', () => {
  expect(resolveDocsLink('decisions/0001-run-from-sources-and-bundle-for-production.md')).toBeUndefined()
  expect(resolveDocsLink('../templates/squad/README.md')).toBeUndefined()
  expect(resolveDocsLink('javascript:alert(1)')).toBeUndefined()
  expect(resolveDocsLink('https://example.org/')).toBe('https://example.org/')
})

test.each(docsAddresses)('the link of the app to %s has its page and section', async (address) => {
  const [page = '', section] = address.split('#')

  const markdown = await loadDocsPage(page)

  const headings = [...(markdown ?? '').matchAll(/^#+ (.*)$/gm)].map(([, text = '']) => headingId(text))
  expect(markdown).toBeDefined()
  if (section !== undefined) expect(headings).toContain(section)
})
