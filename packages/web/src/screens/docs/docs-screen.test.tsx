import { screen, waitFor } from '@testing-library/react'
import { expect, test } from 'vitest'
import { headingId, loadDocsPage, resolveDocsLink } from '../../features/docs/docs-files.ts'
import { openApp } from '../../testing/open-app.tsx'
import { docsAddresses } from '../../ui/layout/docs-link.tsx'

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

test.each(['..%2F..%2Fpackage.json', '%2e%2e%2fREADME', '..%5CREADME', 'constructor', '__proto__', 'README.md'])(
  'the name %s of a page is no path',
  async (name) => {
    await openApp(`/docs/${name}`, { as: [] })

    await screen.findByRole('link', { name: 'All pages' })
    expect(loadDocsPage(decodeURIComponent(name))).toBeUndefined()
    expect(resolveDocsLink(`../../${decodeURIComponent(name)}`)).toBeUndefined()
  },
)

test('the documentation is searched, with the keyboard too', async () => {
  const { user, path } = await openApp('/docs', { as: [] })
  const field = await screen.findByRole<HTMLInputElement>('searchbox', { name: 'Search the documentation' })

  await user.type(field, 'quiet hours')
  const results = await screen.findByRole('list', { name: 'Results' })
  expect(results.querySelectorAll('a').length).toBeGreaterThan(0)
  await user.keyboard('{ArrowDown}{Enter}')
  await waitFor(() => expect(path()).toMatch(/^\/docs\/\w/))
  await waitFor(() => expect(screen.queryByRole('list', { name: 'Results' })).toBeNull())

  await user.type(screen.getByRole('searchbox'), 'xyzzy')
  await screen.findByText('Nothing matches “xyzzy”.')
  await user.click(screen.getByRole('button', { name: 'Clear filter' }))
  expect(screen.getByRole<HTMLInputElement>('searchbox').value).toBe('')
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
