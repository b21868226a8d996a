import { startServer } from '@innkeeper/contract/node-servers'
import { Refusal } from '@innkeeper/contract/refusals'
import { getServer, getUsage, listServers } from '@innkeeper/contract/servers'
import type { ServerState } from '@innkeeper/contract/status'
import { screen, waitFor, within } from '@testing-library/react'
import { expect, test } from 'vitest'
import { FakePanel } from '../../testing/fake-panel.ts'
import { openApp } from '../../testing/open-app.tsx'
import { aServer, pageOf } from '../../testing/samples.ts'

const admin = ['servers.admin']

function aPanel(): FakePanel {
  const panel = new FakePanel()
  panel.answer(
    listServers,
    pageOf([
      aServer('0000000a', 'Arena'),
      aServer('0000000b', 'Harbour', { ip: '198.51.100.7' }),
      aServer('0000000c', 'Zeta'),
    ]),
  )
  panel.answer(getUsage, [usage('0000000a', 'offline'), usage('0000000b', 'online'), { id: '0000000c' }])
  return panel
}

function usage(id: string, state: ServerState) {
  const running = state === 'online'
  const status = { running, installing: false, state, since: '2026-11-21T10:00:00Z' }
  return { id, status, stats: { cpu: 12.34, memory: 412 * 1024 ** 2 } }
}

const names = () =>
  screen
    .getAllByRole('row')
    .slice(1)
    .map((row) => within(row).getAllByRole('link')[0]?.textContent)

test('the list shows what every server is doing, and nothing it does not know', async () => {
  await openApp('/server', { as: admin, panel: aPanel() })

  const row = (await screen.findByRole('link', { name: 'Harbour' })).closest('tr') as HTMLElement
  await within(row).findByText('Online')
  expect(within(row).getByText('12%')).toBeTruthy()
  expect(within(row).getByText('412 MiB')).toBeTruthy()
  const silent = screen.getByRole('link', { name: 'Zeta' }).closest('tr') as HTMLElement
  expect(within(silent).getByText('Unknown')).toBeTruthy()
  expect(within(silent).queryByRole('button', { name: 'Start Zeta' })).toBeNull()
})

test('what a silent node said is shown with its age, and is no state any more', async () => {
  const panel = aPanel()
  panel.answer(getUsage, [{ ...usage('0000000b', 'online'), isOld: true, seenAt: '2026-01-02T00:00:00Z' }])

  await openApp('/server', { as: admin, panel })

  const row = (await screen.findByRole('link', { name: 'Harbour' })).closest('tr') as HTMLElement
  await within(row).findByText(/^Online .*2026|^Online .*Jan/)
  expect(within(row).getByText('Unknown')).toBeTruthy()
  expect(within(row).queryByText('12%')).toBeNull()
})

test('what a node doubts itself is unknown', async () => {
  const panel = aPanel()
  const { id, status, stats } = usage('0000000b', 'online')
  panel.answer(getUsage, [{ id, status: { ...status, isInDoubt: true }, stats }])

  await openApp('/server', { as: admin, panel })

  const row = (await screen.findByRole('link', { name: 'Harbour' })).closest('tr') as HTMLElement
  await within(row).findByText('Unknown')
  expect(within(row).queryByText('Online')).toBeNull()
})

test('the list is filtered by name or address, and by status', async () => {
  const { user } = await openApp('/server', { as: admin, panel: aPanel() })
  await screen.findByRole('link', { name: 'Arena' })

  await user.type(screen.getByRole('searchbox'), '198.51')
  await waitFor(() => expect(names()).toEqual(['Harbour']))

  await user.clear(screen.getByRole('searchbox'))
  await user.click(await screen.findByRole('radio', { name: /Offline/ }))
  await waitFor(() => expect(names()).toEqual(['Arena']))
})

test('a filter that nothing answers says so and can be cleared', async () => {
  const { user } = await openApp('/server?q=abc', { as: admin, panel: aPanel() })

  await screen.findByText("Nothing matches 'abc'.")
  await user.click(screen.getByRole('button', { name: 'Clear filter' }))

  await waitFor(() => expect(names()).toHaveLength(3))
})

test('a server that is asked to start shows it at once, and as it was when that is refused', async () => {
  const panel = aPanel()
  panel.answer(startServer, new Refusal('ErrServerDisabled'))
  const { user } = await openApp('/server', { as: admin, panel })

  await user.click(await screen.findByRole('button', { name: 'Start Arena' }))

  expect(await screen.findByText('The server is disabled')).toBeTruthy()
  const row = screen.getByRole('link', { name: 'Arena' }).closest('tr') as HTMLElement
  expect(within(row).getByText('Offline')).toBeTruthy()
})

test('someone who may only look gets no button to start a server', async () => {
  const panel = aPanel()
  panel.answer(getServer, { server: aServer('0000000a', 'Arena'), permissions: { viewServerConsole: true } })
  await openApp('/server', { as: ['servers.view'], panel })

  await screen.findByRole('link', { name: 'Open console of Arena' })

  expect(screen.queryByRole('button', { name: 'Start Arena' })).toBeNull()
  expect(screen.queryByRole('link', { name: 'Add server' })).toBeNull()
})

test('an empty list tells an administrator how to begin, and others to wait for a share', async () => {
  const { panel } = await openApp('/server', { as: admin })
  await screen.findByText(/Pick a template, choose a node/)
  expect(panel.asked(getUsage)).toHaveLength(0)
})

test('a list that cannot be loaded says why and can be tried again', async () => {
  const panel = new FakePanel()
  panel.answer(listServers, new Refusal('ErrDatabaseNotAvailable'))
  const { user } = await openApp('/server', { as: admin, panel })
  await screen.findByText('Database is not available')

  panel.answer(listServers, pageOf([aServer('0000000a', 'Arena')]))
  await user.click(screen.getByRole('button', { name: 'Try again' }))

  await screen.findByRole('link', { name: 'Arena' })
})

test('j and k move through the rows, x selects, and the slash leads to the filter', async () => {
  const { user } = await openApp('/server', { as: admin, panel: aPanel() })
  await screen.findByRole('link', { name: 'Arena' })

  await user.keyboard('jjk')
  expect(document.activeElement?.textContent).toBe('Arena')
  await user.keyboard('jx')
  expect(screen.getByRole<HTMLInputElement>('checkbox', { name: 'Select Harbour' }).checked).toBe(true)
  await user.keyboard('/')

  await waitFor(() => expect(document.activeElement).toBe(screen.getByRole('searchbox')))
})
