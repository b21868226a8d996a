import { screen, within } from '@testing-library/react'
import { expect, test } from 'vitest'
import { openPart } from '../testing/open-part.tsx'
import { DesktopHeader } from './header.tsx'

const noop = () => undefined

test('the breadcrumbs name the shown part of a page, and lead back to the page and the list', async () => {
  await openPart(
    <DesktopHeader
      title={{ title: 'Lobby', section: 'Files' }}
      parent={{ path: '/server', title: 'shell.Servers' }}
      onOpenPalette={noop}
      onPreloadPalette={noop}
      onOpenShortcuts={noop}
    />,
  )

  const breadcrumbs = within(await screen.findByRole('navigation', { name: 'Breadcrumb' }))
  expect(breadcrumbs.getAllByRole('link').map((link) => link.textContent)).toEqual(['Servers', 'Lobby'])
  expect(breadcrumbs.getByText('Files').getAttribute('aria-current')).toBe('page')
})
