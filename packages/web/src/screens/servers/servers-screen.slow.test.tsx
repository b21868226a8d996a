import { Refusal } from '@innkeeper/contract/errors/refusals'
import {
  installServer,
  killServer,
  restartServer,
  sendCommand,
  startServer,
  stopServer,
} from '@innkeeper/contract/servers/node-servers'
import { changeServerTags, getUsage, listServers } from '@innkeeper/contract/servers/servers'
import { getStatsHistory } from '@innkeeper/contract/servers/stats-history'
import type { ServerState, ServerStatus } from '@innkeeper/contract/servers/status'
import { putUserSetting } from '@innkeeper/contract/settings/panel'
import { limits } from '@innkeeper/contract/text/limits'
import { act, screen, waitFor, within } from '@testing-library/react'
import { expect, test } from 'vitest'
import { FakePanel } from '../../testing/fake-panel.ts'
import { openApp } from '../../testing/open-app.tsx'
import { refocusWindow } from '../../testing/open-part.tsx'
import { aServer, getPage } from '../../testing/samples.ts'

const admin = ['servers.admin']

function aPanel(): FakePanel {
  const panel = new FakePanel()
  panel.respond(
    listServers,
    getPage([
      aServer('0000000a', 'Arena'),
      aServer('0000000b', 'Harbour', { ip: '198.51.100.7' }),
      aServer('0000000c', 'Zeta'),
    ]),
  )
  panel.respond(getUsage, [usage('0000000a', 'offline'), usage('0000000b', 'online'), { id: '0000000c' }])
  return panel
}

function usage(id: string, state: ServerState, more: Partial<ServerStatus> = {}) {
  const running = state === 'online'
  const status = { running, installing: state === 'installing', state, since: '2026-11-21T10:00:00Z', ...more }
  return { id, status, stats: { cpu: 12.34, memory: 412 * 1024 ** 2 } }
}

const names = () =>
  screen
    .getAllByRole('row')
    .slice(1)
    .map((row) => within(row).getAllByRole('link')[0]?.textContent)

test('the list shows status and usage of each server, and Unknown without a report', async () => {
  const panel = aPanel()
  const players = { online: 3, max: 20, bots: 2 }
  panel.respond(getUsage, [
    usage('0000000a', 'offline'),
    { ...usage('0000000b', 'online'), players },
    { id: '0000000c' },
  ])
  await openApp('/server', { as: admin, panel })

  const row = (await screen.findByRole('link', { name: 'Harbour' })).closest('tr') as HTMLElement
  await within(row).findByText('Online')
  expect(within(row).getByText('12%')).toBeTruthy()
  expect(within(row).getByText('412 MiB')).toBeTruthy()
  expect(within(row).getByText('3 / 20').closest('td')?.textContent).toContain('Players: 3 / 20, bots: 2')
  const unreported = screen.getByRole('link', { name: 'Zeta' }).closest('tr') as HTMLElement
  expect(within(unreported).getByText('Unknown')).toBeTruthy()
  expect(within(unreported).queryByRole('button', { name: 'Start Zeta' })).toBeNull()
})

test('a server whose node is in maintenance says so, with the reason', async () => {
  const panel = aPanel()
  const { node } = aServer('0000000a', 'Arena')
  const inMaintenance = { ...node, availability: { state: 'maintenance', reason: 'New disks' } as const }
  panel.respond(listServers, getPage([aServer('0000000a', 'Arena', { node: inMaintenance })]))

  await openApp('/server', { as: admin, panel })

  const row = (await screen.findByRole('link', { name: 'Arena' })).closest('tr') as HTMLElement
  expect(within(row).getByText('The node LocalNode is in maintenance: New disks')).toBeTruthy()
})

test('an outdated report is shown with its age, and the status is Unknown', async () => {
  const panel = aPanel()
  panel.respond(getUsage, [{ ...usage('0000000b', 'online'), isOld: true, seenAt: '2026-01-02T00:00:00Z' }])

  await openApp('/server', { as: admin, panel })

  const row = (await screen.findByRole('link', { name: 'Harbour' })).closest('tr') as HTMLElement
  await within(row).findByText(/^Online .*2026|^Online .*Jan/)
  expect(within(row).getByText('Unknown')).toBeTruthy()
  expect(within(row).queryByText('12%')).toBeNull()
})

test('a status that the node is not sure of is Unknown', async () => {
  const panel = aPanel()
  const { id, status, stats } = usage('0000000b', 'online')
  panel.respond(getUsage, [{ id, status: { ...status, isInDoubt: true }, stats }])

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

test('a filter without matches can be cleared', async () => {
  const { user } = await openApp('/server?q=abc', { as: admin, panel: aPanel() })

  await screen.findByText('Nothing matches “abc”.')
  await user.click(screen.getByRole('button', { name: 'Clear filter' }))

  await waitFor(() => expect(names()).toHaveLength(3))
})

test('a refused start is shown as a toast and the status is rolled back', async () => {
  const panel = aPanel()
  panel.respond(startServer, new Refusal('ErrServerDisabled'))
  const { user } = await openApp('/server', { as: admin, panel })

  await user.click(await screen.findByRole('button', { name: 'Start Arena' }))

  expect(await screen.findByText('The server is disabled')).toBeTruthy()
  const row = screen.getByRole('link', { name: 'Arena' }).closest('tr') as HTMLElement
  expect(within(row).getByText('Offline')).toBeTruthy()
})

test('a server that sleeps is woken, not started', async () => {
  const panel = aPanel()
  const sleeping = { since: '2026-11-21T10:00:00Z', isFrozen: true }
  panel.respond(getUsage, [usage('0000000a', 'online', { sleeping })])
  panel.respond(startServer, undefined)
  const { user } = await openApp('/server', { as: admin, panel })

  await user.click(await screen.findByRole('button', { name: 'Wake Arena' }))

  await waitFor(() => expect(panel.requests(startServer)).toHaveLength(1))
  expect(screen.queryByRole('button', { name: 'Start Arena' })).toBeNull()
})

test('without permission to start there is no Start button', async () => {
  const panel = aPanel()
  panel.respond(listServers, getPage([aServer('0000000a', 'Arena', { permissions: ['viewServerConsole'] })]))
  await openApp('/server', { as: ['servers.view'], panel })

  await screen.findByRole('link', { name: 'Open console of Arena' })

  expect(screen.queryByRole('button', { name: 'Start Arena' })).toBeNull()
  expect(screen.queryByRole('link', { name: 'Add server' })).toBeNull()
})

test('an empty list shows an administrator how to add a server', async () => {
  const { panel } = await openApp('/server', { as: admin })
  await screen.findByText(/Pick a template, choose a node/)
  expect(panel.requests(getUsage)).toHaveLength(0)
})

test('a list that cannot be loaded shows the error and can be retried', async () => {
  const panel = new FakePanel()
  panel.respond(listServers, new Refusal('ErrDatabaseNotAvailable'))
  const { user } = await openApp('/server', { as: admin, panel })
  await screen.findByText('Database is not available')

  panel.respond(listServers, getPage([aServer('0000000a', 'Arena')]))
  await user.click(screen.getByRole('button', { name: 'Try again' }))

  await screen.findByRole('link', { name: 'Arena' })
})

test('arrow keys move between rows and their controls, and Shift selects a range', async () => {
  const { user } = await openApp('/server', { as: admin, panel: aPanel() })
  const arena = await screen.findByRole('link', { name: 'Arena' })
  arena.focus()

  await user.keyboard('{ArrowLeft}')
  expect(document.activeElement?.ariaLabel).toBe('Select Arena')
  await user.keyboard('{Shift>}{ArrowDown}{/Shift}')
  expect(document.activeElement?.textContent).toBe('Harbour')
  expect(screen.getByRole<HTMLInputElement>('checkbox', { name: 'Select Arena' }).checked).toBe(true)
  expect(screen.getByRole<HTMLInputElement>('checkbox', { name: 'Select Harbour' }).checked).toBe(true)
  await user.keyboard('{Home}')
  expect(document.activeElement).toBe(arena)
})

test('j and k move the focus between rows, x selects, and the slash focuses the filter', async () => {
  const { user } = await openApp('/server', { as: admin, panel: aPanel() })
  await screen.findByRole('link', { name: 'Arena' })

  await user.keyboard('jjk')
  expect(document.activeElement?.textContent).toBe('Arena')
  await user.keyboard('jx')
  expect(screen.getByRole<HTMLInputElement>('checkbox', { name: 'Select Harbour' }).checked).toBe(true)
  await user.keyboard('/')

  await waitFor(() => expect(document.activeElement).toBe(screen.getByRole('searchbox')))
})

test('Enter and the arrow down lead from the filter to the first row, and Esc leaves an empty filter', async () => {
  const { user } = await openApp('/server', { as: admin, panel: aPanel() })
  await screen.findByRole('link', { name: 'Arena' })
  const filter = screen.getByRole<HTMLInputElement>('searchbox')

  for (const [key, text] of [
    ['{ArrowDown}', 'arb'],
    ['{Enter}', 'zet'],
  ] as const) {
    await user.clear(filter)
    await user.type(filter, text)
    await waitFor(() => expect(names()).toHaveLength(1))
    await user.keyboard(key)
    expect(document.activeElement?.textContent).toBe(names()[0])
  }
  await user.click(filter)
  await user.keyboard('{Escape}')
  expect([filter.value, document.activeElement]).toEqual(['', filter])
  await user.keyboard('{Escape}j')

  expect([filter.value, document.activeElement?.textContent]).toEqual(['', 'Arena'])
})

const crashed = { lastExit: { at: '2026-11-21T10:00:00Z', reason: 'crashed', code: 3, signal: null } } as const
const findRow = async (name: string) => (await screen.findByRole('link', { name })).closest('tr') as HTMLElement

const getMenuButton = (name: string) => screen.getByRole('button', { name: `More actions for ${name}` })

test('crashed, hung and stopped servers differ in their rows and in the filter', async () => {
  const panel = aPanel()
  panel.respond(getUsage, [
    usage('0000000a', 'offline', crashed),
    usage('0000000b', 'online', { notResponding: { since: '2026-11-21T10:00:00Z', reason: 'query' } }),
    usage('0000000c', 'installing'),
  ])
  const { user } = await openApp('/server', { as: admin, panel })

  await within(await findRow('Arena')).findByText('Crashed')
  expect(within(await findRow('Harbour')).getByText('Not responding')).toBeTruthy()
  expect(screen.getByRole('radio', { name: /^Crashed ?1$/ })).toBeTruthy()
  expect(screen.getByRole('radio', { name: /^Not responding ?1$/ })).toBeTruthy()
  expect(screen.getByRole('radio', { name: /^Offline ?0$/ })).toBeTruthy()
  expect(screen.getByRole('radio', { name: /^Busy ?1$/ })).toBeTruthy()
  expect(screen.getByRole('radio', { name: /^Online ?0$/ })).toBeTruthy()
  await user.click(screen.getByRole('radio', { name: /^Crashed ?1$/ }))
  await waitFor(() => expect(names()).toEqual(['Arena']))
})

test('Stop skips selected servers that are offline', async () => {
  const panel = aPanel()
  panel.respond(stopServer, undefined)
  const { user } = await openApp('/server', { as: admin, panel })
  await within(await findRow('Harbour')).findByText('Online')

  await user.click(screen.getByRole('checkbox', { name: 'Select all on this page' }))
  await user.click(await screen.findByRole('button', { name: 'Stop' }))
  const dialog = await screen.findByRole('dialog', { name: 'Stop 1 server?' })
  expect(within(dialog).getByText('1 server skipped: its status does not allow this.')).toBeTruthy()
  expect(within(dialog).getByText('1 server skipped: its status is unknown.')).toBeTruthy()
  await user.click(within(dialog).getByRole('button', { name: 'Stop 1 server' }))

  await within(await findRow('Harbour')).findByText('Stopping')
  expect(panel.requests(stopServer).map(({ path }) => path)).toEqual(['/proxy/daemon/server/0000000b/stop'])
  expect(within(await findRow('Arena')).getByText('Offline')).toBeTruthy()
})

test('Stop of offline servers shows an error and sends nothing', async () => {
  const panel = aPanel()
  const { user } = await openApp('/server', { as: admin, panel })
  await within(await findRow('Arena')).findByText('Offline')

  await user.click(screen.getByRole('checkbox', { name: 'Select Arena' }))
  await user.click(await screen.findByRole('button', { name: 'Stop' }))

  expect(await screen.findByText('None of the selected servers can be stopped now.')).toBeTruthy()
  const dialog = within(screen.getByRole('dialog'))
  expect(dialog.queryByRole('button', { name: /^Stop/ })).toBeNull()
  const [close] = dialog.getAllByRole('button', { name: 'Close' }).slice(-1)
  if (close) await user.click(close)
  expect(panel.requests(stopServer)).toHaveLength(0)
  expect(within(await findRow('Arena')).getByText('Offline')).toBeTruthy()
})

test('an action on several servers asks first, with their number', async () => {
  const panel = aPanel()
  panel.respond(stopServer, undefined)
  panel.respond(getUsage, [usage('0000000a', 'online'), usage('0000000b', 'online'), usage('0000000c', 'online')])
  const { user } = await openApp('/server', { as: admin, panel })
  await within(await findRow('Zeta')).findByText('Online')

  await user.click(screen.getByRole('checkbox', { name: 'Select all on this page' }))
  await user.click(await screen.findByRole('button', { name: 'Stop' }))
  const first = await screen.findByRole('dialog', { name: 'Stop 3 servers?' })
  await user.click(within(first).getByRole('button', { name: 'Cancel' }))
  const afterCancel = panel.requests(stopServer).length
  await user.click(await screen.findByRole('button', { name: 'Stop' }))
  await user.click(
    within(await screen.findByRole('dialog', { name: 'Stop 3 servers?' })).getByRole('button', {
      name: 'Stop 3 servers',
    }),
  )

  await waitFor(() => expect(panel.requests(stopServer)).toHaveLength(3))
  expect(afterCancel).toBe(0)
})

test('Kill and Install of one server ask first', async () => {
  const panel = aPanel()
  panel.respond(killServer, undefined)
  panel.respond(installServer, undefined)
  panel.respond(stopServer, undefined)
  const { user } = await openApp('/server', { as: admin, panel })
  await within(await findRow('Harbour')).findByText('Online')

  await user.click(getMenuButton('Harbour'))
  await user.click(await screen.findByRole('menuitem', { name: 'Kill' }))
  const killing = await screen.findByRole('dialog', { name: 'Kill Harbour?' })
  const before = panel.requests(killServer).length
  await user.click(within(killing).getByRole('button', { name: 'Kill' }))
  await waitFor(() => expect(panel.requests(killServer)).toHaveLength(1))

  await user.click(getMenuButton('Arena'))
  const offered = (await screen.findAllByRole('menuitem')).map((item) => item.textContent)
  expect(before).toBe(0)
  expect(offered).toContain('Install')
  expect(offered).not.toContain('Kill')
})

test('the menu of a row shows in full what the row cuts or leaves out', async () => {
  const panel = aPanel()
  const tags = ['a-tag-of-24-characters-x', 'EU', 'event', 'modded']
  const counted = tags.map((name) => ({ name, count: 1 }))
  panel.respond(listServers, { ...getPage([aServer('0000000a', 'Arena', { tags })]), tags: counted })
  const { user } = await openApp('/server', { as: admin, panel })

  const button = await screen.findByRole('button', { name: 'More actions for Arena' })
  button.focus()
  await user.keyboard('{Enter}')

  const menu = await screen.findByRole('menu')
  expect(menu.textContent).toContain('Node LocalNode')
  // In a right-to-left language, a tag is cut at its own end.
  const row = button.closest('tr') as HTMLElement
  expect(within(row).getByText('a-tag-of-24-characters-x').dir).toBe('auto')
  const facts = document.getElementById(menu.getAttribute('aria-describedby') ?? '')
  expect(facts?.textContent).toContain('a-tag-of-24-characters-x, EU, event, and modded')
  await user.keyboard('{Escape}')
  await waitFor(() => expect(document.activeElement).toBe(button))
})

test('the menu of a row shows CPU and memory with their limits, and when an unreachable server was last seen', async () => {
  const panel = aPanel()
  const seenAt = new Date(Date.now() - 12 * 60_000).toISOString()
  panel.respond(getUsage, [
    { ...usage('0000000a', 'online'), memoryMax: 1024 ** 3, cpuMax: 200 },
    { ...usage('0000000b', 'online'), isOld: true, seenAt },
  ])
  const { user } = await openApp('/server', { as: admin, panel })
  await within(await findRow('Arena')).findByText('12%')
  const openFacts = async (name: string) => {
    await user.click(getMenuButton(name))
    const id = (await screen.findByRole('menu')).getAttribute('aria-describedby') ?? ''
    return document.getElementById(id)?.textContent
  }

  const measured = await openFacts('Arena')
  await user.keyboard('{Escape}')
  await waitFor(() => expect(screen.queryByRole('menu')).toBeNull())
  const unreachable = await openFacts('Harbour')

  expect(measured).toContain('Status Online')
  expect(measured).toContain('CPU 12% of 200%')
  expect(measured).toContain('Memory 412 MiB of 1.00 GiB')
  expect(unreachable).toMatch(/Online 12 ?m/)
})

test('during an install the row offers only to cancel it', async () => {
  const panel = aPanel()
  panel.respond(killServer, undefined)
  panel.respond(getUsage, [usage('0000000a', 'installing')])
  const { user } = await openApp('/server', { as: admin, panel })
  const row = await findRow('Arena')
  await within(row).findByText('Installing')

  expect(within(row).queryByRole('button', { name: 'Stop Arena' })).toBeNull()
  await user.click(within(row).getByRole('button', { name: 'Cancel installation of Arena' }))

  await waitFor(() => expect(panel.requests(killServer)).toHaveLength(1))
})

test('a command is sent only to the selected servers that run', async () => {
  const panel = aPanel()
  panel.respond(sendCommand, undefined)
  const { user } = await openApp('/server', { as: admin, panel })
  await within(await findRow('Harbour')).findByText('Online')

  await user.click(screen.getByRole('checkbox', { name: 'Select all on this page' }))
  await user.click(await screen.findByRole('button', { name: 'Send command' }))
  const dialog = await screen.findByRole('dialog', { name: 'Send a command to 1 server' })
  await user.type(within(dialog).getByRole('textbox', { name: 'Command' }), 'say hello')
  await user.click(within(dialog).getByRole('button', { name: 'Send to 1 server' }))

  await waitFor(() =>
    expect(panel.requests(sendCommand).map(({ path }) => path)).toEqual(['/proxy/daemon/server/0000000b/console']),
  )
})

const sixOnline = () => {
  const panel = new FakePanel()
  const ids = Array.from({ length: 6 }, (_, index) => `0000000${index}`)
  panel.respond(listServers, getPage(ids.map((id, index) => aServer(id, `Server ${index}`))))
  panel.respond(
    getUsage,
    ids.map((id) => usage(id, 'online')),
  )
  return panel
}

test('killing more than five servers is confirmed by their number', async () => {
  const panel = sixOnline()
  panel.respond(killServer, undefined)
  const { user } = await openApp('/server', { as: admin, panel })
  await within(await findRow('Server 5')).findByText('Online')

  await user.click(screen.getByRole('checkbox', { name: 'Select all on this page' }))
  await user.click(await screen.findByRole('button', { name: 'Kill' }))
  const dialog = await screen.findByRole('dialog', { name: 'Kill 6 servers?' })
  const submit = within(dialog).getByRole<HTMLButtonElement>('button', { name: 'Kill 6 servers' })
  await user.type(within(dialog).getByRole('textbox', { name: 'Type 6 to confirm' }), '5')
  const isDisabled = submit.disabled
  await user.keyboard('{Backspace}6{Enter}')

  await screen.findByText('Killed servers: 6 of 6')
  expect(isDisabled).toBe(true)
  expect(panel.requests(killServer)).toHaveLength(6)
  await waitFor(() => expect(screen.queryByRole('toolbar')).toBeNull())
})

test('a bulk action shows the result of each server, and repeats those that failed', async () => {
  const panel = sixOnline()
  let isDisabled = true
  panel.respond(sendCommand, ({ path }) =>
    isDisabled && path.includes('00000003') ? new Refusal('ErrServerDisabled') : undefined,
  )
  const { user } = await openApp('/server', { as: admin, panel })
  await within(await findRow('Server 5')).findByText('Online')

  for (const name of ['Server 1', 'Server 3'])
    await user.click(screen.getByRole('checkbox', { name: `Select ${name}` }))
  await user.click(await screen.findByRole('button', { name: 'Send command' }))
  const dialog = await screen.findByRole('dialog', { name: 'Send a command to 2 servers' })
  await user.type(within(dialog).getByRole('textbox', { name: 'Command' }), 'say hello{Enter}')
  const results = await within(dialog).findByRole('region', { name: 'Result of each server' })
  const items = within(results).getAllByRole('listitem')
  const texts = items.map((item) => item.textContent)
  isDisabled = false
  await user.click(within(dialog).getByRole('button', { name: 'Try 1 server again' }))

  await screen.findByText('Command sent to servers: 2 of 2')
  expect(texts).toEqual(['Server 3The server is disabled', 'Server 1Sent'])
  expect(panel.requests(sendCommand)).toHaveLength(3)
})

test('a bulk action that left servers out keeps the result of each server open', async () => {
  const panel = aPanel()
  panel.respond(stopServer, undefined)
  panel.respond(getUsage, [usage('0000000a', 'offline'), usage('0000000b', 'online')])
  const { user } = await openApp('/server', { as: admin, panel })
  await within(await findRow('Harbour')).findByText('Online')

  await user.click(screen.getByRole('checkbox', { name: 'Select all on this page' }))
  await user.click(await screen.findByRole('button', { name: 'Stop' }))
  const dialog = await screen.findByRole('dialog', { name: 'Stop 1 server?' })
  await user.click(within(dialog).getByRole('button', { name: 'Stop 1 server' }))

  const results = await screen.findByRole('region', { name: 'Result of each server' })
  const texts = within(results)
    .getAllByRole('listitem')
    .map((item) => item.textContent)
  expect(texts).toContain('HarbourSent')
  expect(texts).toContain('ArenaSkipped: its status does not allow this')
})

test('canceling a bulk action leaves out what was not sent yet', async () => {
  const panel = sixOnline()
  panel.respond(restartServer, undefined)
  const answer = panel.pause(restartServer)
  const { user } = await openApp('/server', { as: admin, panel })
  await within(await findRow('Server 5')).findByText('Online')

  await user.click(screen.getByRole('checkbox', { name: 'Select all on this page' }))
  await user.click(await screen.findByRole('button', { name: 'Restart' }))
  await user.type(await screen.findByRole('textbox', { name: 'Type 6 to confirm' }), '6{Enter}')
  const progress = await screen.findByRole('progressbar', { name: 'Progress' })
  await user.click(within(screen.getByRole('dialog')).getByRole('button', { name: 'Cancel' }))
  answer()

  expect(await screen.findAllByText('Not sent: you canceled')).toHaveLength(2)
  expect(progress.isConnected).toBe(false)
  expect(panel.requests(restartServer)).toHaveLength(4)
})

test('tags are added to and removed from all selected servers on which the user may edit them', async () => {
  const panel = new FakePanel()
  const permissions = ['editServerData'] as const
  panel.respond(
    listServers,
    getPage([
      aServer('0000000a', 'Arena', { permissions: [...permissions], tags: ['old'] }),
      aServer('0000000b', 'Harbour', { permissions: [] }),
    ]),
  )
  panel.respond(changeServerTags, undefined)
  const { user } = await openApp('/server', { as: ['servers.view'], panel })
  await findRow('Arena')

  await user.click(screen.getByRole('checkbox', { name: 'Select all on this page' }))
  await user.click(await screen.findByRole('button', { name: 'Edit tags' }))
  const dialog = await screen.findByRole('dialog', { name: 'Edit the tags of 1 server' })
  expect(within(dialog).getByText('1 server skipped: you do not have permission.')).toBeTruthy()
  await user.type(within(dialog).getByRole('combobox', { name: 'Add tags' }), 'EU,modded,')
  await user.type(within(dialog).getByRole('combobox', { name: 'Remove tags' }), 'old{Enter}')
  await user.click(within(dialog).getByRole('button', { name: 'Edit tags of 1 server' }))

  await waitFor(() => expect(panel.requests(changeServerTags)).toHaveLength(1))
  expect(panel.requests(changeServerTags)[0]?.body).toEqual({ add: ['EU', 'modded'], remove: ['old'] })
})

test('a filter is saved for the user with its sorting, and chosen from the menu', async () => {
  const { user, router, panel } = await openApp('/server?status=offline&sort=cpu', { as: admin, panel: aPanel() })
  await findRow('Arena')

  // The window is narrow: other filters are behind a button.
  await user.click(screen.getByRole('button', { name: 'Filter' }))
  await user.click(await screen.findByRole('button', { name: 'Saved filters' }))
  await user.click(await screen.findByRole('menuitem', { name: 'Save this filter' }))
  await user.type(await screen.findByRole('textbox', { name: 'Name' }), 'Idle{Enter}')
  await screen.findByRole('button', { name: 'Idle' })
  await act(() => router.navigate('/server'))
  await user.click(await screen.findByRole('button', { name: 'Saved filters' }))
  await user.click(await screen.findByRole('menuitem', { name: 'Idle' }))

  await waitFor(() => expect(router.state.location.search).toBe('?status=offline&sort=cpu'))
  const saved = JSON.stringify([{ name: 'Idle', params: { status: 'offline', sort: 'cpu' } }])
  expect(panel.requests(putUserSetting)[0]).toMatchObject({
    path: '/api/userSettings/serverFilters',
    body: { value: saved },
  })
})

test('keys typed right after Send command go to its dialog, not to the shortcuts of the page', async () => {
  const { user, path } = await openApp('/server', { as: admin, panel: aPanel() })
  await within(await findRow('Harbour')).findByText('Online')

  await user.click(screen.getByRole('checkbox', { name: 'Select Harbour' }))
  await user.click(await screen.findByRole('button', { name: 'Send command' }))
  await user.keyboard('gn')

  const dialog = await screen.findByRole('dialog', { name: 'Send a command to 1 server' })
  await waitFor(() => expect(within(dialog).getByRole('textbox', { name: 'Command' })).toHaveProperty('value', 'gn'))
  expect(path()).toBe('/server')
})

test('a click on a column header sorts by it, and the next one reverses the order', async () => {
  const panel = aPanel()
  const { user, router } = await openApp('/server', { as: admin, panel })
  await findRow('Arena')

  await user.click(screen.getByRole('button', { name: 'CPU' }))
  await waitFor(() => expect(router.state.location.search).toBe('?sort=cpu&order=desc'))
  const head = screen.getByRole('columnheader', { name: 'CPU' })
  expect(head.getAttribute('aria-sort')).toBe('descending')
  await user.click(screen.getByRole('button', { name: 'CPU' }))

  await waitFor(() => expect(panel.requests(listServers).at(-1)?.query.get('sort')).toBe('cpu'))
  expect(panel.requests(listServers).at(-1)?.query.get('order')).toBe(null)
  expect(head.getAttribute('aria-sort')).toBe('ascending')
})

const twentyThree = Array.from({ length: 23 }, (_, index) => aServer(`000000${10 + index}`, `Server ${index}`))

/** Pages of 23 servers, as the panel makes them. */
function pagesOf23({ query }: { readonly query: URLSearchParams }) {
  const [page, limit] = [Number(query.get('page') ?? 1), Number(query.get('limit'))]
  const found = twentyThree.filter(({ name }) => name.includes(query.get('query') ?? ''))
  const all = getPage(found)
  return {
    ...all,
    servers: found.slice((page - 1) * limit, page * limit),
    paging: { ...all.paging, page, pageSize: limit },
  }
}

test('the pages of a long list can be opened by number, and the address shows which', async () => {
  const panel = new FakePanel()
  panel.respond(listServers, pagesOf23)
  const { user, router } = await openApp('/server', { as: admin, panel })
  await findRow('Server 0')
  const pages = within(screen.getByRole('navigation', { name: 'Pages' }))

  await user.click(pages.getByRole('button', { name: 'Page 3' }))
  await findRow('Server 22')
  const range = screen.getByText('21–23 of 23')
  await user.click(pages.getByRole('button', { name: 'Previous page' }))

  await findRow('Server 10')
  expect(range).toBeDefined()
  expect(router.state.location.search).toBe('?page=2')
  expect(pages.getByRole('button', { name: 'Page 2' }).getAttribute('aria-current')).toBe('page')
})

test('ten servers are on a page at first, and a choice is remembered for the user', async () => {
  const panel = new FakePanel()
  panel.respond(listServers, pagesOf23)
  const { user, router } = await openApp('/server', { as: admin, panel })
  await findRow('Server 9')
  const atFirst = names()
  const limitsAtFirst = new Set(panel.requests(listServers).map(({ query }) => query.get('limit')))

  await user.selectOptions(screen.getByRole('combobox', { name: 'Rows per page' }), '25 per page')
  await findRow('Server 22')
  await act(() => router.navigate('/account'))
  await act(() => router.navigate('/server'))

  expect(atFirst).toHaveLength(10)
  expect([...limitsAtFirst]).toEqual(['10'])
  await findRow('Server 22')
  expect(panel.requests(putUserSetting).map(({ path, body }) => [path, body])).toContainEqual([
    '/api/userSettings/serversPerPage',
    { value: '25' },
  ])
})

test('rows can be compact, and the choice is remembered for the user', async () => {
  const panel = new FakePanel()
  panel.respond(listServers, pagesOf23)
  const { user } = await openApp('/server', { as: admin, panel })
  await findRow('Server 9')
  const isCompact = () => screen.getByRole('table').hasAttribute('data-compact')
  const atFirst = isCompact()

  const button = await screen.findByRole('button', { name: 'Compact rows' })
  await user.click(button)

  expect([atFirst, isCompact()]).toEqual([false, true])
  expect(button.getAttribute('aria-pressed')).toBe('true')
  expect(panel.requests(putUserSetting).map(({ path, body }) => [path, body])).toContainEqual([
    '/api/userSettings/serverRows',
    { value: 'compact' },
  ])
})

test('all matching servers can be selected, also those on other pages', async () => {
  const panel = new FakePanel()
  panel.respond(listServers, pagesOf23)
  const { user } = await openApp('/server', { as: admin, panel })
  await findRow('Server 0')

  await user.click(screen.getByRole('checkbox', { name: 'Select all on this page' }))
  await user.click(await screen.findByRole('button', { name: 'Select all 23 matching servers' }))

  expect(await screen.findByText('23 servers selected')).toBeTruthy()
  await user.type(screen.getByRole('searchbox'), '1')
  await waitFor(() => expect(screen.queryByText(/servers selected/)).toBeNull())
})

/** A panel with 240 servers: 200 on the node Berlin, of which only the last two crashed, and 40 on Cairo. */
function aLargePanel(): FakePanel {
  const panel = new FakePanel()
  const { node } = aServer('00000000', '')
  const [berlin, cairo] = [
    { ...node, name: 'Berlin' },
    { ...node, id: 7, name: 'Cairo' },
  ]
  const every = Array.from({ length: 240 }, (_, index) =>
    aServer(String(index).padStart(8, '0'), `Server ${index}`, { node: index < 200 ? berlin : cairo }),
  )
  const isCrashed = (id: string) => id === '00000198' || id === '00000199'
  panel.respond(listServers, ({ query }) => {
    const [page, limit] = [Number(query.get('page') ?? 1), Number(query.get('limit'))]
    const node = query.get('node')
    const matching = every.filter((server) => node === null || server.node.id === Number(node))
    const status = query.get('status')
    const found = matching.filter(({ id }) => status === null || status === (isCrashed(id) ? 'crashed' : 'offline'))
    const crashed = matching.filter(({ id }) => isCrashed(id)).length
    const offline = matching.length - crashed
    const counts = { online: 0, notResponding: 0, busy: 0, offline, crashed, suspended: 0, unknown: 0 }
    const nodes = [berlin, cairo].map(({ id, name }) => ({ id, name }))
    return {
      servers: found.slice((page - 1) * limit, page * limit),
      paging: { page, pageSize: limit, maxSize: 100, total: found.length },
      ...(query.has('counts') ? { counts, nodes } : {}),
    }
  })
  panel.respond(getUsage, ({ query }) =>
    (query.get('ids') ?? '').split(',').map((id) => usage(id, 'offline', isCrashed(id) ? crashed : {})),
  )
  return panel
}

test('with more servers than one request returns, the status filter counts and finds those on all pages', async () => {
  const { user } = await openApp('/server', { as: admin, panel: aLargePanel() })
  await findRow('Server 0')

  expect(await screen.findByRole('radio', { name: /^All ?240$/ })).toBeTruthy()
  await user.click(await screen.findByRole('radio', { name: /^Crashed ?2$/ }))

  await waitFor(() => expect(names()).toEqual(['Server 198', 'Server 199']))
  expect(screen.getByRole('radio', { name: /^Offline ?238$/ })).toBeTruthy()
})

test('with more servers than one request returns, the node filter has every node', async () => {
  const { user } = await openApp('/server', { as: admin, panel: aLargePanel() })
  await findRow('Server 0')

  await user.click(screen.getByRole('button', { name: 'Filter' }))
  await user.selectOptions(await screen.findByRole('combobox', { name: 'Filter by node' }), 'Cairo')

  await waitFor(() => expect(names()[0]).toBe('Server 200'))
  expect(await screen.findByRole('radio', { name: /^All ?40$/ })).toBeTruthy()
})

test('with more servers than one request returns, all with a status can be selected', async () => {
  const { user } = await openApp('/server?status=offline', { as: admin, panel: aLargePanel() })
  await findRow('Server 0')

  await user.click(screen.getByRole('checkbox', { name: 'Select all on this page' }))
  await user.click(await screen.findByRole('button', { name: 'Select all 238 matching servers' }))

  expect(await screen.findByText('238 servers selected')).toBeTruthy()
})

test('a page number behind the last page shows the last page', async () => {
  await openApp('/server?status=crashed&page=3', { as: admin, panel: aLargePanel() })

  await findRow('Server 198')
  await waitFor(() => expect(names()).toEqual(['Server 198', 'Server 199']))
})

test('the filter field follows the address', async () => {
  const { user, router } = await openApp('/server?q=Har', { as: admin, panel: aPanel() })
  await waitFor(() => expect(names()).toEqual(['Harbour']))

  await act(() => router.navigate('/server'))
  await waitFor(() => expect(names()).toHaveLength(3))
  expect(screen.getByRole<HTMLInputElement>('searchbox').value).toBe('')

  await user.type(screen.getByRole('searchbox'), 'Zet')
  await waitFor(() => expect(router.state.location.search).toBe('?q=Zet'))
  await act(() => router.navigate('/server?q=Are'))
  await waitFor(() => expect(names()).toEqual(['Arena']))
  expect(screen.getByRole<HTMLInputElement>('searchbox').value).toBe('Are')
})

test('the memory bar is relative to the maximum of the server', async () => {
  const panel = aPanel()
  panel.respond(getUsage, [{ ...usage('0000000b', 'online'), memoryMax: 824 * 1024 ** 2 }])
  await openApp('/server', { as: admin, panel })

  const cell = (await within(await findRow('Harbour')).findByText('412 MiB')).closest('td') as HTMLElement

  expect(within(cell).getByRole('progressbar', { hidden: true }).getAttribute('aria-valuenow')).toBe('50')
  expect(within(cell).getByText('412 MiB of 824 MiB').ariaHidden).toBeNull()
})

test('the CPU sparkline starts with the history of the node', async () => {
  const panel = aPanel()
  const cpu = [1, 2, 3, 4, 5, 6, 7]
  panel.respond(getStatsHistory, {
    fromMs: 0,
    stepMs: limits.usageEveryMs / 2,
    cpu,
    cpuPeak: cpu,
    memory: cpu,
    memoryPeak: cpu,
  })
  await openApp('/server', { as: admin, panel })

  const cell = (await within(await findRow('Harbour')).findByText('12%')).closest('td') as HTMLElement

  // Every second value of the history, and the latest report.
  await waitFor(() => expect(cell.querySelector('polyline')?.getAttribute('points')?.split(' ')).toHaveLength(5))
})

test('while the panel does not respond, the statuses are Unknown, with what was known', async () => {
  const panel = aPanel()
  await openApp('/server', { as: admin, panel })
  await within(await findRow('Harbour')).findByText('Online')
  panel.respond(getUsage, new Refusal('ErrUnknownError'))

  await refocusWindow()

  const row = within(await findRow('Harbour'))
  await row.findByText('Unknown')
  row.getByText(/^Online .* ago|^Online .*now/)
  expect(row.queryByText('12%')).toBeNull()
  expect(row.queryByRole('button', { name: 'Stop Harbour' })).toBeNull()
  panel.respond(getUsage, [usage('0000000b', 'online')])
  await refocusWindow()
  await row.findByText('Online')
})

test('a list that could not be refreshed is marked', async () => {
  const panel = new FakePanel()
  panel.respond(listServers, getPage([aServer('0a0a0a0a', 'lobby')]))
  await openApp('/server', { as: ['servers.view'], panel })
  await screen.findByRole('link', { name: /lobby/ })
  panel.respond(listServers, new Refusal('ErrUnknownError'))

  await refocusWindow()

  await screen.findByText(/^Could not refresh/)
  screen.getByRole('link', { name: /lobby/ })
})
