import { type ActivityEntry, listActivity } from '@innkeeper/contract/activity/activity'
import { Refusal } from '@innkeeper/contract/errors/refusals'
import { listServers } from '@innkeeper/contract/servers/servers'
import { screen, waitFor, within } from '@testing-library/react'
import { expect, test } from 'vitest'
import { FakePanel } from '../../testing/fake-panel.ts'
import { openApp } from '../../testing/open-app.tsx'
import { aServer, getPage } from '../../testing/samples.ts'

const admin = ['servers.admin']

const entries: ActivityEntry[] = [
  {
    id: '3',
    at: '2026-11-20T20:14:05.000Z',
    user: { id: 1, username: 'mara' },
    action: 'server.user.edit',
    server: '0a1b2c3d',
    target: 'wren@example.net',
    from: '203.0.113.7',
    result: 'done',
  },
  {
    id: '2',
    at: '2026-11-20T20:12:00.000Z',
    user: { id: 2, username: 'wren' },
    action: 'server.kill',
    server: 'ffffffff',
    from: '203.0.113.8',
    result: 'refused',
    code: 'ErrMissingScope',
  },
  { id: '1', at: '2026-11-20T20:10:00.000Z', action: 'session.open', from: '198.51.100.4', result: 'failed' },
]

async function open(path = '/activity', as: readonly string[] = admin) {
  const panel = new FakePanel()
  panel.respond(listServers, getPage([aServer('0a1b2c3d', 'Oak Valley')]))
  panel.respond(listActivity, ({ query }) => {
    const page = Number(query.get('page') ?? 1)
    const shown = query.get('user') === 'nobody' ? [] : entries
    return { activity: shown, paging: { page, pageSize: 25, maxSize: 100, total: shown.length === 0 ? 0 : 60 } }
  })
  const opened = await openApp(path, { as, panel })
  const getLastQuery = () => Object.fromEntries(panel.requests(listActivity).at(-1)?.query ?? [])
  return { ...opened, panel, getLastQuery }
}

const getCells = (row: HTMLElement) =>
  within(row)
    .getAllByRole('cell')
    .map((cell) => cell.textContent)

test('each row shows time, user, action, target, IP address and result, below its day', async () => {
  await open()

  await screen.findByRole('rowheader', { name: /^Nov 2[01], 2026$/ })
  const rows = screen.getAllByRole('row').filter((row) => within(row).queryAllByRole('cell').length > 0)
  expect(rows.map((row) => getCells(row).slice(1))).toEqual([
    ['mara', "Changed a user's access", 'Oak Valleywren@example.net', '203.0.113.7', 'Done'],
    ['wren', 'Killed a server', 'ffffffff', '203.0.113.8', 'DeniedYou are not authorized to perform this action'],
    ['Not signed in', 'Signed in', '', '198.51.100.4', 'Failed'],
  ])
  expect(screen.getByRole('link', { name: 'Oak Valley' }).getAttribute('href')).toBe('/server/0a1b2c3d')
})

test('many equal actions are one row, which shows the others when it is expanded', async () => {
  const saved = (name: string, minute: number): ActivityEntry => ({
    id: name,
    at: `2026-11-20T20:${minute}:00.000Z`,
    user: { id: 1, username: 'mara' },
    action: 'server.file.write',
    server: '0a1b2c3d',
    target: name,
    from: '203.0.113.7',
    result: 'done',
  })
  const names = ['a.txt', 'b.txt', 'c.txt', 'd.txt']
  const { user, panel } = await open('/activity?user=nobody')
  panel.respond(listActivity, {
    activity: names.map((name, index) => saved(name, 30 - index)),
    paging: { page: 1, pageSize: 25, maxSize: 100, total: names.length },
  })
  await user.clear(await screen.findByRole('searchbox', { name: 'Username' }))

  const more = await screen.findByRole('button', { name: '3 more' })
  const shown = () => names.filter((name) => screen.queryByText(name))
  expect(shown()).toEqual(['a.txt'])
  await user.click(more)

  expect(more.getAttribute('aria-expanded')).toBe('true')
  expect(shown()).toEqual(names)
})

test('the filter is sent to the panel and part of the address', async () => {
  const { user, router, getLastQuery } = await open()
  await screen.findAllByRole('row')

  await user.type(screen.getByRole('searchbox', { name: 'Username' }), 'mara')
  await waitFor(() => expect(getLastQuery().user).toBe('mara'))
  await user.selectOptions(screen.getByRole('combobox', { name: 'Filter by action' }), 'Servers: all')
  await user.selectOptions(screen.getByRole('combobox', { name: 'Filter by result' }), 'Denied')
  await user.selectOptions(screen.getByRole('combobox', { name: 'Filter by server' }), 'Oak Valley')

  await waitFor(() =>
    expect(getLastQuery()).toMatchObject({ user: 'mara', action: 'server.*', result: 'refused', server: '0a1b2c3d' }),
  )
  expect(router.state.location.search).toBe('?user=mara&action=server.*&result=refused&server=0a1b2c3d')
})

test('the filter of the address is applied, and can be cleared', async () => {
  const { user, path, router, getLastQuery } = await open('/activity?user=nobody')

  await screen.findByText('No activity matches this filter.')
  await user.click(screen.getAllByRole('button', { name: 'Clear filter' })[0] as HTMLElement)

  await screen.findAllByRole('row')
  expect(getLastQuery().user).toBeUndefined()
  expect(path() + router.state.location.search).toBe('/activity')
  expect(screen.getByRole<HTMLInputElement>('searchbox', { name: 'Username' }).value).toBe('')
})

test('the list has pages, and a new filter goes back to the first', async () => {
  const { user, getLastQuery } = await open()
  await screen.findByText('1–25 of 60')

  await user.click(screen.getByRole('button', { name: 'Next page' }))
  await screen.findByText('26–50 of 60')
  expect(getLastQuery().page).toBe('2')
  await user.selectOptions(screen.getByRole('combobox', { name: 'Filter by result' }), 'Done')

  await waitFor(() => expect(getLastQuery()).toMatchObject({ page: '1', result: 'done' }))
})

test('other users see that they lack the permission, and nothing is requested', async () => {
  const { panel } = await open('/activity', ['panel.settings'])

  await screen.findByText('Ask an administrator for the permission “Administrator”.')
  expect(panel.requests(listActivity)).toHaveLength(0)
})

test('an error is shown and can be retried', async () => {
  const panel = new FakePanel()
  panel.respond(listActivity, new Refusal('ErrDatabaseNotAvailable'))
  const { user } = await openApp('/activity', { as: admin, panel })
  await screen.findByText('Database is not available')

  panel.respond(listActivity, { activity: [], paging: { page: 1, pageSize: 25, maxSize: 100, total: 0 } })
  await user.click(screen.getByRole('button', { name: 'Try again' }))

  await screen.findByText('No activity yet.')
})

test('the command palette opens the activity', async () => {
  const { user, path } = await open('/account')
  await screen.findByRole('heading', { name: 'Account' })

  await user.keyboard('{Control>}k{/Control}')
  await user.type(await screen.findByRole('combobox', { name: /Search or run/ }), 'activ{Enter}')

  await waitFor(() => expect(path()).toBe('/activity'))
})

test('a date is shown as the language of the panel writes it', async () => {
  await open('/activity?from=2026-11-21')

  await screen.findByText('Nov 21, 2026')
  expect(screen.getByLabelText<HTMLInputElement>('From date').value).toBe('2026-11-21')
  screen.getByText('To date')
})

test('the navigation of administrators has the activity', async () => {
  const { user, path } = await open('/account')

  await user.click(await screen.findByRole('link', { name: 'Activity' }))

  await waitFor(() => expect(path()).toBe('/activity'))
})
