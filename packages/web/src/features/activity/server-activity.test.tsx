import { listServerActivity } from '@innkeeper/contract/activity/activity'
import { render, screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { MemoryRouter } from 'react-router'
import { expect, test, vi } from 'vitest'
import { Providers } from '../../app/app.tsx'
import { createI18n } from '../../i18n/i18n.tsx'
import { SessionStore } from '../../session/store.ts'
import { FakePanel } from '../../testing/fake-panel.ts'
import { ServerActivity } from './server-activity.tsx'

test('a server shows its activity, filtered by action', async () => {
  const panel = new FakePanel()
  panel.respond(listServerActivity, {
    activity: [
      {
        id: '1',
        at: new Date().toISOString(),
        user: { id: 2, username: 'wren' },
        action: 'server.restart',
        server: '0a1b2c3d',
        from: '203.0.113.8',
        result: 'done',
      },
      {
        id: '0',
        at: new Date().toISOString(),
        user: { id: 2, username: 'wren' },
        action: 'server.command',
        server: '0a1b2c3d',
        from: '203.0.113.8',
        result: 'done',
        count: 12,
      },
    ],
    paging: { page: 1, pageSize: 10, maxSize: 100, total: 2 },
  })
  vi.stubGlobal('fetch', panel.fetch)
  const user = userEvent.setup()
  render(
    <MemoryRouter>
      <Providers i18n={await createI18n('en_US')} session={new SessionStore()} env="test">
        <ServerActivity id="0a1b2c3d" />
      </Providers>
    </MemoryRouter>,
  )

  expect(await screen.findByRole('cell', { name: 'Restarted a server' })).toBeDefined()
  expect(screen.queryByText('0a1b2c3d')).toBeNull()
  expect(screen.getByText('Repeated 12 more times within a minute')).toBeDefined()
  await user.selectOptions(screen.getByRole('combobox', { name: 'Filter by action' }), 'Restarted a server')

  await waitFor(() => expect(panel.requests(listServerActivity).at(-1)?.query.get('action')).toBe('server.restart'))
  expect(panel.requests(listServerActivity).at(-1)?.path).toBe('/api/servers/0a1b2c3d/activity')
})
