import { listUsers } from '@innkeeper/contract/accounts/users'
import { listNodes } from '@innkeeper/contract/nodes/nodes'
import { installServer, sendCommand, stopServer } from '@innkeeper/contract/servers/node-servers'
import { getUsage, listServers } from '@innkeeper/contract/servers/servers'
import { listTemplates } from '@innkeeper/contract/templates/templates'
import { screen, waitFor, within } from '@testing-library/react'
import { expect, test } from 'vitest'
import { FakePanel } from '../testing/fake-panel.ts'
import { openApp } from '../testing/open-app.tsx'
import { aServer, getPage } from '../testing/samples.ts'
// Loaded when it is first opened; here it is there already.
import './command-palette.tsx'

function aPanel() {
  const panel = new FakePanel()
  panel.respond(listServers, getPage([aServer('0000000a', 'Trains'), aServer('0000000b', 'Forest')]))
  const status = { running: true, installing: false, state: 'online', since: '2026-11-21T10:00:00Z' } as const
  panel.respond(getUsage, [{ id: '0000000a', status }])
  return panel
}

test('"stop trains" in the palette stops the server Trains', async () => {
  const panel = aPanel()
  panel.respond(stopServer, undefined)
  const { user } = await openApp('/account', { as: ['servers.admin'], panel })
  await screen.findByRole('heading', { name: 'Account' })

  await user.keyboard('{Control>}k{/Control}')
  await user.type(await screen.findByRole('combobox', { name: 'Search or run a command' }), 'stop trains')
  await screen.findByRole('option', { name: 'Stop Trains' })
  await user.keyboard('{Enter}')

  await waitFor(() =>
    expect(panel.requests(stopServer).map(({ path }) => path)).toEqual(['/proxy/daemon/server/0000000a/stop']),
  )
  expect(await screen.findByText('Stopping Trains')).toBeTruthy()
})

test('installing a server from the palette asks first, with the focus on the button that confirms', async () => {
  const panel = aPanel()
  panel.respond(installServer, undefined)
  const { user } = await openApp('/account', { as: ['servers.admin'], panel })
  await screen.findByRole('heading', { name: 'Account' })

  await user.keyboard('{Control>}k{/Control}')
  await user.type(await screen.findByRole('combobox', { name: 'Search or run a command' }), 'install trains')
  await screen.findByRole('option', { name: 'Install Trains' })
  await user.keyboard('{Enter}')
  const dialog = await screen.findByRole('dialog', { name: 'Install Trains?' })
  const before = panel.requests(installServer).length
  await waitFor(() => expect(document.activeElement).toBe(within(dialog).getByRole('button', { name: 'Install' })))
  await user.keyboard('{Enter}')

  await waitFor(() => expect(panel.requests(installServer)).toHaveLength(1))
  expect(before).toBe(0)
})

test.each(['/account', '/node'])('an action has the same id on every page: %s', async (path) => {
  const panel = aPanel()
  panel.respond(listNodes, [])
  const { user } = await openApp(path, { as: ['servers.admin'], panel })
  await screen.findByRole('heading', { level: 1 })

  await user.keyboard('{Control>}k{/Control}')
  await user.type(await screen.findByRole('combobox', { name: 'Search or run a command' }), 'sign out')

  expect((await screen.findByRole('option', { name: 'Sign out' })).id).toMatch(/-action-sign-out$/)
})

test('Tab narrows the palette to a server, whose console takes commands after ">"', async () => {
  const panel = aPanel()
  panel.respond(sendCommand, undefined)
  const { user } = await openApp('/account', { as: ['servers.admin'], panel })
  await screen.findByRole('heading', { name: 'Account' })

  await user.keyboard('{Control>}k{/Control}')
  const input = await screen.findByRole('combobox', { name: 'Search or run a command' })
  await user.type(input, 'train')
  await screen.findByRole('option', { name: /Trains/ })
  await user.keyboard('{Tab}')
  await screen.findByRole('option', { name: 'Stop Trains' })
  expect(screen.queryByRole('option', { name: /Forest/ })).toBeNull()
  await user.type(input, '> say hello{Enter}')

  await screen.findByText('Sent to Trains')
  expect(panel.requests(sendCommand).map(({ path, body }) => [path, body])).toEqual([
    ['/proxy/daemon/server/0000000a/console', 'say hello'],
  ])
})

test('the scope of the palette is removed by its button and by Backspace', async () => {
  const { user } = await openApp('/account', { as: ['servers.admin'], panel: aPanel() })
  await screen.findByRole('heading', { name: 'Account' })
  await user.keyboard('{Control>}k{/Control}')
  const input = await screen.findByRole('combobox', { name: 'Search or run a command' })
  const narrow = async () => {
    await user.type(input, 'train')
    await screen.findByRole('option', { name: /Trains/ })
    await user.keyboard('{Tab}')
    return screen.findByRole('button', { name: 'Show commands of all servers instead of Trains' })
  }

  await user.click(await narrow())
  await screen.findByRole('option', { name: /Forest/ })
  await user.click(input)
  await narrow()
  await user.keyboard('{Backspace}')

  await screen.findByRole('option', { name: /Forest/ })
})

test('nodes, templates and users are found by their names', async () => {
  const panel = aPanel()
  panel.respond(listNodes, [])
  panel.respond(listTemplates, [
    { name: 'paper', display: 'Paper', type: 'minecraft-java', supportedEnvironments: [], servers: 0 },
  ])
  const paging = { page: 1, pageSize: 10, maxSize: 100, total: 1 }
  panel.respond(listUsers, { users: [{ id: 7, username: 'papyrus', email: 'p@example.net' } as never], paging })
  const { user, path } = await openApp('/account', { as: ['servers.admin'], panel })
  await screen.findByRole('heading', { name: 'Account' })

  await user.keyboard('{Control>}k{/Control}')
  await user.type(await screen.findByRole('combobox', { name: 'Search or run a command' }), 'pap')
  await screen.findByRole('option', { name: /papyrus/ })
  await user.click(screen.getByRole('option', { name: /^Paper/ }))

  await waitFor(() => expect(path()).toBe('/template/paper'))
})

test('servers that the panel finds later do not move the selection', async () => {
  const panel = aPanel()
  const { servers, paging } = getPage([aServer('0000000a', 'Trains')])
  panel.respond(listServers, ({ query }) =>
    query.has('name') ? getPage([aServer('0000000c', 'Nodules')]) : { servers, paging: { ...paging, total: 500 } },
  )
  const { user, path } = await openApp('/account', { as: ['servers.admin'], panel })
  await screen.findByRole('heading', { name: 'Account' })

  await user.keyboard('{Control>}k{/Control}')
  const input = await screen.findByRole('combobox', { name: 'Search or run a command' })
  await user.type(input, 'nod')
  const before = screen.getByRole('option', { selected: true }).textContent
  await screen.findByRole('option', { name: /Nodules/ })
  const selected = screen.getByRole('option', { selected: true })
  await user.keyboard('{Enter}')

  expect(before).toMatch(/^Nodes/)
  expect(selected.textContent).toBe(before)
  expect(input.getAttribute('aria-activedescendant')).toBe(selected.id)
  await waitFor(() => expect(path()).toBe('/node'))
})

test('an action and a server that the panel has to find are found together, also when the server is off', async () => {
  const panel = aPanel()
  const { servers, paging } = getPage([aServer('0000000a', 'Trains')])
  panel.respond(listServers, ({ query }) =>
    query.has('name')
      ? getPage(query.get('name') === '*voice*' ? [aServer('0000000c', 'Quiet voice')] : [])
      : { servers, paging: { ...paging, total: 500 } },
  )
  const { user, path } = await openApp('/account', { as: ['servers.admin'], panel })
  await screen.findByRole('heading', { name: 'Account' })

  await user.keyboard('{Control>}k{/Control}')
  await user.type(await screen.findByRole('combobox', { name: 'Search or run a command' }), 'stop voice')
  await screen.findByRole('option', { name: /Quiet voice/ })
  await user.keyboard('{Enter}')

  await waitFor(() => expect(path()).toBe('/server/0000000c'))
})

test('sections of the settings and pages of the documentation are found', async () => {
  const { user, path } = await openApp('/account', { as: ['servers.admin'], panel: aPanel() })
  await screen.findByRole('heading', { name: 'Account' })
  const search = async (text: string) => {
    await user.keyboard('{Control>}k{/Control}')
    await user.type(await screen.findByRole('combobox', { name: 'Search or run a command' }), text)
  }

  await search('backups')
  await screen.findByRole('option', { name: /^Backups ?Settings/ })
  await user.click(await screen.findByRole('option', { name: /^Backups of servers/ }))
  await waitFor(() => expect(path()).toBe('/docs/backups'))

  await search('alerts')
  await user.click(await screen.findByRole('option', { name: /^Alerts ?Settings/ }))
  await waitFor(() => expect(path()).toBe('/settings'))
})

test('sections that the user may not see are not offered', async () => {
  const { user } = await openApp('/account', { as: ['servers.view'], panel: aPanel() })
  await screen.findByRole('heading', { name: 'Account' })

  await user.keyboard('{Control>}k{/Control}')
  await user.type(await screen.findByRole('combobox', { name: 'Search or run a command' }), 'pass')

  await screen.findByRole('option', { name: /^Password ?Account/ })
  expect(screen.queryByRole('option', { name: /Settings/ })).toBeNull()
})
