import { login } from '@innkeeper/contract/accounts/auth'
import type { Template } from '@innkeeper/contract/definitions/definition'
import { Refusal } from '@innkeeper/contract/errors/refusals'
import { checkPort, findFreePorts } from '@innkeeper/contract/nodes/node-ports'
import { listNodeChoices } from '@innkeeper/contract/nodes/nodes'
import { createServer } from '@innkeeper/contract/servers/new-server'
import { getSelf } from '@innkeeper/contract/settings/panel'
import { findMissingPrograms, getTemplate, listTemplates } from '@innkeeper/contract/templates/templates'
import { act, screen, waitFor, within } from '@testing-library/react'
import { expect, test } from 'vitest'
import { clearToken } from '../../api/token.ts'
import { draftKey, readDraft, storeDraft } from '../../forms/use-stored-draft.ts'
import { FakePanel } from '../../testing/fake-panel.ts'
import { openApp } from '../../testing/open-app.tsx'
import { aNodeChoice } from '../../testing/samples.ts'

const admin = ['servers.admin']

const command = {
  name: 'command',
  display: 'Any command',
  type: 'generic',
  readme: '# Hello\n\n<b>raw</b>',
  data: { port: { type: 'integer', value: '25565', display: 'Port', required: true } },
  supportedEnvironments: [{ type: 'standard' }, { type: 'docker', image: 'x' }],
  install: [],
  run: { command: 'sleep 1' },
}

function aPanel(): FakePanel {
  const panel = new FakePanel()
  panel.respond(listTemplates, [
    {
      name: 'command',
      display: 'Any command',
      type: 'generic',
      supportedEnvironments: [{ type: 'standard' }],
      servers: 0,
    },
  ])
  panel.respond(getTemplate, command)
  panel.respond(listNodeChoices, [aNodeChoice(), aNodeChoice({ id: 3, name: 'Attic', online: false })])
  panel.respond(createServer, { id: '0a1b2c3d' })
  return panel
}

async function goToSettings(panel: FakePanel) {
  const opened = await openApp('/addserver', { as: admin, panel })
  const { user } = opened
  await user.click(await screen.findByRole('radio', { name: /Any command/ }))
  await waitFor(() => expect(continueButton().disabled).toBe(false))
  await user.click(continueButton())
  await screen.findByRole('radio', { name: /LocalNode/ })
  await waitFor(() => expect(continueButton().disabled).toBe(false))
  await user.click(continueButton())
  await screen.findByRole('textbox', { name: /^Name/ })
  return opened
}

const continueButton = () => screen.getByRole<HTMLButtonElement>('button', { name: 'Continue' })

test('templates are grouped by family, and found by the name of their category', async () => {
  const panel = aPanel()
  const supportedEnvironments = [{ type: 'standard' }]
  panel.respond(
    listTemplates,
    ['srcds', 'generic', 'agario', 'minecraft-java'].map((type) => ({
      name: `x-${type}`,
      type,
      supportedEnvironments,
      servers: 0,
    })),
  )
  const { user } = await openApp('/addserver', { as: admin, panel })
  const headings = () => screen.getAllByRole('heading', { level: 2 }).map(({ textContent }) => textContent)

  await screen.findByRole('radio', { name: /x-srcds/ })
  expect(headings().slice(1, 4)).toEqual(['Minecraft', 'Source', 'Other'])
  await user.type(screen.getByRole('searchbox'), 'java edition')

  expect(screen.getByRole('radio', { name: /x-minecraft-java/ })).toBeTruthy()
  expect(screen.queryByRole('radio', { name: /x-srcds/ })).toBeNull()
})

test('Enter and a double click on a template select it and go on', async () => {
  const { user, router } = await openApp('/addserver', { as: admin, panel: aPanel() })
  const card = await screen.findByRole('radio', { name: /Any command/ })

  act(() => card.focus())
  await user.keyboard('{Enter}')
  await waitFor(() => expect(router.state.location.search).toBe('?step=target'))
  await user.click(await screen.findByRole('button', { name: 'Back' }))
  await user.dblClick(await screen.findByRole('radio', { name: /Any command/ }))

  await waitFor(() => expect(router.state.location.search).toBe('?step=target'))
  expect(await screen.findByRole('radio', { name: /LocalNode/ })).toBeTruthy()
})

test('an offline node and an unsupported environment are shown with the reason', async () => {
  const { user } = await openApp('/addserver', { as: admin, panel: aPanel() })
  await user.click(await screen.findByRole('radio', { name: /Any command/ }))
  await waitFor(() => expect(continueButton().disabled).toBe(false))
  await user.click(continueButton())

  expect((await screen.findByRole<HTMLButtonElement>('radio', { name: /Attic/ })).disabled).toBe(true)
  const docker = await screen.findByRole<HTMLButtonElement>('radio', { name: /Docker is not supported on this node/ })
  expect(docker.disabled).toBe(true)
})

test('of several nodes the one with the largest share of free memory is proposed, and another can be chosen', async () => {
  const panel = aPanel()
  const room = (free: number) => ({
    memory: { total: 32 * 1024 ** 3, free: free * 1024 ** 3 },
    disk: { total: 1, free: 1 },
  })
  panel.respond(listNodeChoices, [
    aNodeChoice({ room: room(8) }),
    aNodeChoice({ id: 3, name: 'Attic', room: room(12) }),
    aNodeChoice({ id: 4, name: 'Cellar', room: room(32), availability: { state: 'draining' } }),
  ])
  const { user } = await openApp('/addserver', { as: admin, panel })
  await user.click(await screen.findByRole('radio', { name: /Any command/ }))
  await waitFor(() => expect(continueButton().disabled).toBe(false))
  await user.click(continueButton())

  const proposed = await screen.findByRole<HTMLButtonElement>('radio', {
    name: /Attic.*Proposed, because it has the largest share of free memory: 12.00 GiB of 32.00 GiB/,
  })
  await waitFor(() => expect(proposed.getAttribute('aria-checked')).toBe('true'))
  expect(screen.getByRole<HTMLButtonElement>('radio', { name: /Cellar.*takes no new servers/ }).disabled).toBe(true)
  const other = screen.getByRole('radio', { name: /LocalNode.*Free memory: 8.00 GiB of 32.00 GiB/ })
  await user.click(other)
  expect(other.getAttribute('aria-checked')).toBe('true')
})

test('the readme of a template is shown without images, HTML and unsafe links', async () => {
  const panel = aPanel()
  const readme =
    '# Title\n\n## Hello\n\nA <b>bold</b> [trap](javascript:alert(1)), a [page](https://example.com) ![spy](https://spy.example)'
  panel.respond(getTemplate, { name: 'command', type: 'generic', data: {}, readme, run: {}, supportedEnvironments: [] })
  const { user } = await openApp('/addserver', { as: admin, panel })
  await user.click(await screen.findByRole('radio', { name: /Any command/ }))
  await user.click(await screen.findByText('Readme'))

  const title = await screen.findByRole('heading', { name: 'Hello' })
  const shown = within(title.parentElement ?? document.body)
  expect(shown.getByText('page').getAttribute('href')).toBe('https://example.com')
  expect(shown.getByText('trap').getAttribute('href')).toBe('')
  expect(shown.queryByRole('img')).toBeNull()
  expect(title.parentElement?.querySelector('b')).toBeNull()
})

test('a table in the readme of a template is shown as a table', async () => {
  const panel = aPanel()
  const readme = '| variable | meaning |\n|---|---|\n| Command | What runs |'
  panel.respond(getTemplate, { name: 'command', type: 'generic', data: {}, readme, run: {}, supportedEnvironments: [] })
  const { user } = await openApp('/addserver', { as: admin, panel })
  await user.click(await screen.findByRole('radio', { name: /Any command/ }))
  await user.click(await screen.findByText('Readme'))

  const table = await screen.findByRole('table')
  expect(within(table).getByRole('columnheader', { name: 'meaning' })).toBeTruthy()
  expect(within(table).getByRole('cell', { name: 'What runs' })).toBeTruthy()
})

test('the programs of a template are looked for on the nodes', async () => {
  const panel = aPanel()
  panel.respond(getTemplate, { ...command, requirements: { binaries: ['ottd||openttd'] } } as unknown as Template)
  panel.respond(findMissingPrograms, [{ node: aNodeChoice().id, missing: ['ottd||openttd'] }])
  const { user } = await openApp('/addserver', { as: admin, panel })

  await user.click(await screen.findByRole('radio', { name: /Any command/ }))
  expect(await screen.findByText('Not available on LocalNode')).toBeTruthy()
  await waitFor(() => expect(continueButton().disabled).toBe(false))
  await user.click(continueButton())

  expect(await screen.findByText('Not installed on this node: ottd or openttd')).toBeTruthy()
})

test('invalid values are shown at their fields, and the wizard does not continue', async () => {
  const { user } = await goToSettings(aPanel())
  const port = screen.getByRole('textbox', { name: /Port/ })

  await user.clear(port)
  await user.type(port, 'many')
  await user.click(continueButton())

  expect(await screen.findByText('Name is required')).toBeTruthy()
  expect(screen.getByText('Port must be a whole number')).toBeTruthy()
  expect(document.activeElement).toBe(screen.getByRole('textbox', { name: /^Name/ }))
})

test('invalid ports and numbers do not reach the review', async () => {
  const panel = aPanel()
  panel.respond(getTemplate, {
    name: 'command',
    type: 'generic',
    data: {
      port: { type: 'integer', value: 25565, display: 'Port', required: true },
      players: { type: 'integer', value: 8, min: 1, display: 'Max players' },
    },
    supportedEnvironments: [{ type: 'standard' }],
    install: [],
    run: { command: 'sleep 1' },
  })
  const { user } = await goToSettings(panel)
  const fill = async (name: RegExp, value: string) => {
    const field = screen.getByRole('textbox', { name })
    await user.clear(field)
    await user.type(field, value)
  }

  await fill(/^Name/, 'Oak')
  await fill(/^Port/, '0')
  await fill(/^Max players/, '-5')
  await user.click(continueButton())

  expect(await screen.findByText('Port must be between 1 and 65535')).toBeTruthy()
  expect(screen.getByText('Max players cannot be smaller than 1')).toBeTruthy()
})

test('an empty name is required, other characters are rejected, and a long name is not cut', async () => {
  const { user } = await goToSettings(aPanel())
  const name = screen.getByRole<HTMLInputElement>('textbox', { name: /^Name/ })

  await user.type(name, '   ')
  await user.click(continueButton())
  expect(await screen.findByText('Name is required')).toBeTruthy()
  await user.clear(name)
  await user.type(name, 'a/b')
  expect(screen.getByText("Use letters, digits, spaces, and - _ . ' ( ) # & + only")).toBeTruthy()
  await user.clear(name)
  await user.click(name)
  await user.paste('x'.repeat(160))

  expect(name.value).toHaveLength(160)
  expect(screen.getByText('The name has 160 characters. At most 100 are allowed.')).toBeTruthy()
})

test('with two nodes Ctrl+Enter focuses the selection that is missing', async () => {
  const panel = aPanel()
  panel.respond(listNodeChoices, [aNodeChoice(), aNodeChoice({ id: 3, name: 'Attic' })])
  const { user } = await openApp('/addserver', { as: admin, panel })
  await user.click(await screen.findByRole('radio', { name: /Any command/ }))
  await waitFor(() => expect(continueButton().disabled).toBe(false))
  await user.click(continueButton())
  const node = await screen.findByRole('radio', { name: /Attic/ })

  await user.keyboard('{Control>}{Enter}{/Control}')

  expect(screen.getByText('Choose a node')).toBeTruthy()
  expect(document.activeElement).toBe(node)
  await user.keyboard(' ')
  await waitFor(() => expect(screen.queryByText('Choose a node')).toBeNull())
})

const grouped = {
  name: 'command',
  type: 'generic',
  data: {
    port: { type: 'integer', value: 25565, display: 'Port', required: true },
    kind: { type: 'option', value: 'plain', display: 'Kind', options: [{ value: 'plain' }, { value: 'modded' }] },
    build: { value: '', display: 'Build', required: true, desc: 'See [the list](https://example.com/builds)' },
    note: { value: '', display: 'Note' },
    image: { value: 'x', display: 'Image' },
  },
  groups: [
    { display: 'Container', if: "env == 'docker'", variables: ['image'], order: 1 },
    { display: 'Mods', description: 'Only *here*', if: "kind == 'modded'", variables: ['note', 'build'], order: 2 },
  ],
  supportedEnvironments: [{ type: 'standard' }],
  install: [],
  run: { command: 'sleep 1' },
}

test('variables are shown in their groups, and those of hidden groups are not required', async () => {
  const panel = aPanel()
  panel.respond(getTemplate, grouped)
  const { user } = await goToSettings(panel)
  await user.type(screen.getByRole('textbox', { name: /^Name/ }), 'lobby')

  expect(screen.queryByRole('region', { name: 'Container' })).toBeNull()
  expect(screen.queryByRole('region', { name: 'Mods' })).toBeNull()
  await user.click(screen.getByRole('combobox', { name: /Kind/ }))
  await user.click(await screen.findByRole('option', { name: 'modded' }))
  const mods = within(await screen.findByRole('region', { name: 'Mods' }))
  expect(mods.getAllByRole('textbox').map((field) => field.dataset.path)).toEqual(['build', 'note'])
  expect(mods.getByText('here').tagName).toBe('EM')
  expect(mods.getByRole('link', { name: 'the list' }).getAttribute('href')).toBe('https://example.com/builds')
  await user.click(continueButton())
  expect(screen.getByText('Build is required')).toBeTruthy()

  await user.click(screen.getByRole('combobox', { name: /Kind/ }))
  await user.click(await screen.findByRole('option', { name: 'plain' }))
  expect(screen.queryByRole('region', { name: 'Mods' })).toBeNull()
  await user.click(continueButton())
  expect(await screen.findByText('Kind')).toBeTruthy()
  expect(screen.queryByText('Build')).toBeNull()
  await user.click(screen.getByRole('button', { name: 'Create server' }))

  await waitFor(() => expect(panel.requests(createServer)).toHaveLength(1))
  expect(panel.requests(createServer)[0]?.body).toMatchObject({
    data: { port: { value: 25565 }, kind: { value: 'plain' }, build: { value: '' }, image: { value: 'x' } },
    groups: grouped.groups,
  })
})

test.each([
  ['ErrMissingBinary', { expected: 'java OR java17' }, 'Missing binary: java OR java17'],
  ['ErrUnsupportedOS', { actual: 'linux', expected: 'windows' }, 'OS (linux) not supported. Supported OS: windows'],
] as const)('errors about the node are shown on its step: %s', async (code, metadata, message) => {
  const panel = aPanel()
  panel.respond(createServer, new Refusal(code, metadata))
  const { user, router } = await goToSettings(panel)
  await user.type(screen.getByRole('textbox', { name: /^Name/ }), 'lobby')
  await user.click(continueButton())

  await user.click(await screen.findByRole('button', { name: 'Create server' }))

  expect(await screen.findByText(message)).toBeTruthy()
  expect(router.state.location.search).toBe('?step=target')
})

test('templates can be filtered by family', async () => {
  const panel = aPanel()
  const types = ['game', 'minecraft-java', 'voice']
  panel.respond(
    listTemplates,
    types.map((type) => ({ name: `of-${type}`, type, supportedEnvironments: [], servers: 0 })),
  )
  const { user } = await openApp('/addserver', { as: admin, panel })

  await user.click(await screen.findByRole('radio', { name: 'Voice' }))

  expect(
    screen.getAllByRole('radio', { name: /^of-|of-/ }).map(({ parentElement }) => parentElement?.textContent),
  ).toEqual([expect.stringContaining('of-voice')])
})

test('a duplicate name leads back to the name and keeps everything else', async () => {
  const panel = aPanel()
  panel.respond(createServer, new Refusal('ErrDuplicateServerName'))
  const { user, router } = await goToSettings(panel)
  await user.type(screen.getByRole('textbox', { name: /^Name/ }), 'lobby')
  await user.click(continueButton())

  await user.click(await screen.findByRole('button', { name: 'Create server' }))

  expect(await screen.findByText('A server with this name already exists')).toBeTruthy()
  expect(router.state.location.search).toBe('?step=settings')
  expect(screen.getByRole<HTMLInputElement>('textbox', { name: /^Name/ }).value).toBe('lobby')
})

test('a created server without install steps opens without the install notice', async () => {
  const { user, router } = await goToSettings(aPanel())
  await user.type(screen.getByRole('textbox', { name: /^Name/ }), 'lobby')
  await user.click(continueButton())
  await user.click(await screen.findByRole('button', { name: 'Create server' }))

  await waitFor(() => expect(router.state.location.pathname).toBe('/server/0a1b2c3d'))
  expect(router.state.location.search).toBe('')
  expect(await screen.findByText('Created lobby')).toBeTruthy()
})

test('a created server opens, with everything that was selected', async () => {
  const panel = aPanel()
  panel.respond(getTemplate, { ...command, install: [{ type: 'mkdir', target: 'world' }] })
  const { user, router } = await goToSettings(panel)
  await user.type(screen.getByRole('textbox', { name: /^Name/ }), 'lobby')
  const port = screen.getByRole('textbox', { name: /Port/ })
  await user.clear(port)
  await user.type(port, '3979')
  await user.click(continueButton())
  await user.type(await screen.findByRole('combobox', { name: 'Users' }), 'orrin, wren{Enter}')

  await user.click(screen.getByRole('switch', { name: 'Install and start now' }))
  const visited: string[] = []
  // The page of the server removes the parameter again.
  router.subscribe(({ location }) => visited.push(`${location.pathname}${location.search}`))

  await user.click(screen.getByRole('button', { name: 'Create server' }))

  await waitFor(() => expect(visited).toContain('/server/0a1b2c3d?created=1'))
  expect(panel.requests(createServer)[0]?.body).toMatchObject({
    name: 'lobby',
    node: 0,
    type: 'generic',
    environment: { type: 'standard' },
    data: { port: { value: '3979', display: 'Port' } },
    users: ['mara', 'orrin', 'wren'],
  })
  expect(panel.requests(createServer)[0]?.body).not.toHaveProperty('installAndStart')
})

test('a new server is installed and started at once, unless the user turns that off', async () => {
  const panel = aPanel()
  panel.respond(getTemplate, { ...command, install: [{ type: 'mkdir', target: 'world' }] })
  const { user, router } = await goToSettings(panel)
  await user.type(screen.getByRole('textbox', { name: /^Name/ }), 'lobby')
  await user.click(continueButton())

  await user.click(await screen.findByRole('button', { name: 'Create server' }))

  await waitFor(() => expect(router.state.location.pathname).toBe('/server/0a1b2c3d'))
  expect(router.state.location.search).toBe('')
  expect(panel.requests(createServer)[0]?.body).toMatchObject({ installAndStart: true })
})

test('a double click creates one server', async () => {
  const panel = aPanel()
  const { user } = await goToSettings(panel)
  await user.type(screen.getByRole('textbox', { name: /^Name/ }), 'lobby')
  await user.click(continueButton())
  const create = await screen.findByRole('button', { name: 'Create server' })

  act(() => {
    create.click()
    create.click()
  })

  await waitFor(() => expect(panel.requests(createServer).length).toBeGreaterThan(0))
  await waitFor(() => expect(screen.queryByRole('button', { name: 'Create server' })).toBeNull())
  expect(panel.requests(createServer)).toHaveLength(1)
})

test('Ctrl+S creates the server in the last step, and does nothing before', async () => {
  const panel = aPanel()
  const { user, router } = await goToSettings(panel)
  await user.type(screen.getByRole('textbox', { name: /^Name/ }), 'lobby')
  await user.keyboard('{Control>}s{/Control}')
  await user.click(continueButton())
  await screen.findByRole('button', { name: 'Create server' })
  expect(panel.requests(createServer)).toHaveLength(0)

  await user.keyboard('{Control>}s{/Control}')

  await waitFor(() => expect(router.state.location.pathname).toBe('/server/0a1b2c3d'))
  expect(panel.requests(createServer)).toHaveLength(1)
})

test('a user who is added while the server is created stays when it is refused', async () => {
  const panel = aPanel()
  panel.respond(createServer, new Refusal('ErrDuplicateServerName'))
  const { user, router } = await goToSettings(panel)
  await user.type(screen.getByRole('textbox', { name: /^Name/ }), 'lobby')
  await user.click(continueButton())
  const end = panel.pause(createServer)
  await user.click(await screen.findByRole('button', { name: 'Create server' }))
  await user.type(screen.getByRole('combobox', { name: 'Users' }), 'orrin{Enter}')

  end()

  await screen.findByText('A server with this name already exists')
  await act(() => router.navigate('/addserver?step=review'))
  expect((await screen.findAllByText('orrin')).length).toBeGreaterThan(0)
})

test('closing the window asks once something is entered; leaving the page keeps the draft without a question', async () => {
  const isAsked = () => !window.dispatchEvent(new Event('beforeunload', { cancelable: true }))
  const { user, router } = await openApp('/addserver', { as: admin, panel: aPanel() })
  await screen.findByRole('radio', { name: /Any command/ })
  expect(isAsked()).toBe(false)

  await user.click(screen.getByRole('radio', { name: /Any command/ }))
  expect(isAsked()).toBe(true)
  await act(() => router.navigate('/server'))
  await act(() => router.navigate('/addserver'))

  await screen.findByRole('radio', { name: /Any command/, checked: true })
})

test('a draft that was restored is announced, and can be discarded to start over', async () => {
  const isAsked = () => !window.dispatchEvent(new Event('beforeunload', { cancelable: true }))
  const draft = { template: 'command', node: 0, environment: 'standard', name: 'lobby', values: {} }
  storeDraft(draftKey(1, 'add-server'), { saved: {}, edits: draft })
  const { user, path } = await openApp('/addserver?step=settings', { as: admin, panel: aPanel() })
  await screen.findByText('Your unsaved changes were restored.')
  await screen.findByDisplayValue('lobby')

  await user.click(screen.getByRole('button', { name: 'Discard' }))

  await screen.findByRole('radio', { name: /Any command/, checked: false })
  expect(path()).toContain('/addserver')
  expect(screen.queryByText('Your unsaved changes were restored.')).toBeNull()
  expect(readDraft(draftKey(1, 'add-server'))).toBeUndefined()
  expect(isAsked()).toBe(false)
})

test('a draft that was not restored has no notice', async () => {
  await goToSettings(aPanel())

  expect(screen.queryByText('Your unsaved changes were restored.')).toBeNull()
})

test('an unknown user is named, and Ctrl+Enter does not drop the name that is typed', async () => {
  const panel = aPanel()
  panel.respond(createServer, new Refusal('ErrUserNotFound', { username: 'orrin' }))
  const { user } = await goToSettings(panel)
  await user.type(screen.getByRole('textbox', { name: /^Name/ }), 'lobby')
  await user.click(continueButton())

  await user.type(await screen.findByRole('combobox', { name: 'Users' }), 'orrin{Control>}{Enter}{/Control}')
  expect(panel.requests(createServer)).toHaveLength(0)
  await user.keyboard('{Control>}{Enter}{/Control}')

  expect(await screen.findByText('There is no user named “orrin”.')).toBeTruthy()
  expect(panel.requests(createServer)[0]?.body).toMatchObject({ users: ['mara', 'orrin'] })
})

test('an unknown error of creating is shown in one place, with its details', async () => {
  const panel = aPanel()
  panel.respond(createServer, new Refusal('ErrUnknownError'))
  const { user } = await goToSettings(panel)
  await user.type(screen.getByRole('textbox', { name: /^Name/ }), 'lobby')
  await user.click(continueButton())

  await user.click(await screen.findByRole('button', { name: 'Create server' }))

  const alert = await screen.findByRole('alert')
  expect(within(alert).getByText('Unknown error')).toBeTruthy()
  await user.click(within(alert).getByRole('button', { name: 'Details' }))
  expect(await screen.findByText('POST /api/servers')).toBeTruthy()
  expect(document.querySelector('.mantine-Notification-root')).toBeNull()
})

test('a free port of the node is filled in, another one can be selected, and a taken one shows a warning', async () => {
  const panel = aPanel()
  const ports = [7000, 7001].map((port) => ({ address: '0.0.0.0', port }))
  panel.respond(findFreePorts, { hasRanges: true, ports, isChecked: true })
  panel.respond(checkPort, ({ query }) => {
    const isTaken = query.get('port') === '25565'
    const server = { id: '0a0a0a0a', name: 'arena' }
    return {
      isReserved: isTaken,
      inUse: isTaken ? ['udp' as const] : [],
      isChecked: true,
      ...(isTaken ? { server } : {}),
    }
  })
  const { user } = await goToSettings(panel)

  const port = screen.getByRole<HTMLInputElement>('textbox', { name: /Port/ })
  await waitFor(() => expect(port.value).toBe('7000'))
  await user.click(screen.getByRole('button', { name: 'Use 7001' }))
  expect(port.value).toBe('7001')
  await user.clear(port)
  await user.type(port, '25565')

  await screen.findByText('Port 25565 is used by arena.')
  screen.getByText('Port 25565 is already in use on the node (UDP).')
  await user.clear(port)
  await user.type(port, '7000')
  await waitFor(() => expect(screen.queryByText(/used by arena/)).toBeNull())
})

test('an administrator limits a new server, and sees which limits the node does not enforce', async () => {
  const panel = aPanel()
  const enforced = { enforced: true }
  const limits = {
    memory: enforced,
    cpu: enforced,
    processes: { enforced: false, reason: 'this system has no control groups for it' },
    disk: enforced,
  }
  const isolation = { user: enforced, noNewPrivileges: enforced, limits }
  const features = { features: [], environments: ['standard'], os: 'linux', arch: 'amd64', version: '1', isolation }
  panel.respond(listNodeChoices, [aNodeChoice({ features })])
  const { user } = await goToSettings(panel)
  await user.type(screen.getByRole('textbox', { name: /^Name/ }), 'lobby')

  await user.click(screen.getByText('Limits'))
  await user.type(screen.getByRole('textbox', { name: 'Memory (MiB)' }), '512')
  expect(screen.getByText('Not enforced by this node: This system has no control groups for this limit')).toBeDefined()
  await user.click(continueButton())
  expect(await screen.findByText('512')).toBeDefined()
  await user.click(screen.getByRole('button', { name: 'Create server' }))

  await waitFor(() => expect(panel.requests(createServer)).toHaveLength(1))
  expect(panel.requests(createServer)[0]?.body).toMatchObject({
    environment: { type: 'standard', limits: { memory: 512 } },
  })
})

test('a template that cannot be loaded is an error that can be retried, beside the list', async () => {
  const panel = aPanel()
  panel.respond(getTemplate, new Refusal('ErrUnknownError'))
  const { user } = await openApp('/addserver', { as: admin, panel })
  await user.click(await screen.findByRole('radio', { name: /Any command/ }))
  await screen.findByRole('heading', { name: 'Could not load the template' })
  panel.respond(getTemplate, command)

  await user.click(screen.getByRole('button', { name: 'Try again' }))

  await screen.findByText('Readme')
  await waitFor(() => expect(continueButton().disabled).toBe(false))
})

test.each(['target', 'review'])('a template that cannot be loaded is an error in the step %s', async (step) => {
  const panel = aPanel()
  panel.respond(getTemplate, new Refusal('ErrUnknownError'))
  const draft = { template: 'command', node: 0, environment: 'standard', name: 'lobby', values: {} }
  storeDraft(draftKey(1, 'add-server'), { saved: {}, edits: draft })
  const { user } = await openApp(`/addserver?step=${step}`, { as: admin, panel })
  await screen.findByRole('heading', { name: 'Could not load the template' })
  panel.respond(getTemplate, command)

  await user.click(screen.getByRole('button', { name: 'Try again' }))

  await waitFor(() => expect(screen.queryByText('Could not load the template')).toBeNull())
  await screen.findByRole('button', { name: 'Back' })
})

test('a link to a later step opens the first incomplete one', async () => {
  await openApp('/addserver?step=review', { as: admin, panel: aPanel() })

  await screen.findByText('Choose a template to see its requirements.')
  expect(screen.getByRole('button', { name: /Template/, current: 'step' })).toBeTruthy()
})

async function goToContainer(panel: FakePanel, scopes: string[]) {
  const features = {
    features: ['docker'],
    environments: ['standard', 'docker'],
    os: 'linux',
    arch: 'amd64',
    version: '1',
  }
  panel.respond(listNodeChoices, [aNodeChoice({ features })])
  const { user } = await openApp('/addserver', { as: scopes, panel })
  await user.click(await screen.findByRole('radio', { name: /Any command/ }))
  await waitFor(() => expect(continueButton().disabled).toBe(false))
  await user.click(continueButton())
  await user.click(await screen.findByRole('radio', { name: /Docker/ }))
  await user.click(continueButton())
  await user.type(await screen.findByRole('textbox', { name: /^Name/ }), 'lobby')
  return user
}

test('an administrator changes the container of a new server', async () => {
  const panel = aPanel()
  const user = await goToContainer(panel, admin)
  const image = screen.getByRole<HTMLInputElement>('textbox', { name: 'Image' })
  expect(image.value).toBe('x')

  await user.clear(image)
  await user.type(image, 'game:2')
  expect(screen.queryByRole('button', { name: 'Add port' })).toBeNull()
  await user.click(screen.getByRole('combobox', { name: /Network mode/ }))
  await user.click(await screen.findByRole('option', { name: 'bridge' }))
  await user.click(screen.getByRole('button', { name: 'Add port' }))
  await user.type(screen.getByRole('textbox', { name: 'Node port' }), '99999')
  await user.type(screen.getByRole('textbox', { name: 'Container port' }), '25565')
  await user.click(continueButton())
  expect(await screen.findByText(/Enter numbers from 1 to 65535/)).toBeTruthy()
  await user.clear(screen.getByRole('textbox', { name: 'Node port' }))
  await user.type(screen.getByRole('textbox', { name: 'Node port' }), '9999')
  await user.click(continueButton())
  await user.click(await screen.findByRole('button', { name: 'Create server' }))

  await waitFor(() =>
    expect(panel.requests(createServer)[0]?.body).toMatchObject({
      environment: {
        type: 'docker',
        image: 'game:2',
        networkMode: 'bridge',
        portBindings: ['0.0.0.0:9999:25565/tcp'],
      },
    }),
  )
})

test('other users cannot change the container', async () => {
  await goToContainer(aPanel(), ['servers.create', 'templates.view', 'nodes.view'])

  expect(screen.queryByRole('textbox', { name: 'Image' })).toBeNull()
})

test('a user who may only create servers gets from the list to the wizard', async () => {
  const panel = aPanel()
  const { user } = await openApp('/server', { panel, as: ['servers.view', 'servers.create'] })

  await screen.findByRole('heading', { name: 'No servers yet' })
  // The empty list has the only button of this name.
  await user.click(screen.getByRole('link', { name: 'Add server' }))

  await screen.findByRole('radiogroup', { name: 'Template' })
})

test('a user who may not create servers sees why', async () => {
  await openApp('/addserver', { panel: aPanel(), as: ['servers.view'] })

  await screen.findByText('You do not have permission to view this page')
  screen.getByRole('heading', { level: 1, name: 'Add server' })
  expect(screen.queryByRole('radiogroup', { name: 'Template' })).toBeNull()
})

/** Starts a draft, lets the session expire in another tab and signs in again as the user with this ID. */
async function expireAndSignIn(id: number) {
  const panel = aPanel()
  panel.respond(login, { session: 'token', scopes: admin })
  const { user, path } = await goToSettings(panel)
  await user.type(screen.getByRole('textbox', { name: /^Name/ }), 'lobby')
  clearToken()
  localStorage.setItem('innkeeper.ended', 'timedOut')
  localStorage.removeItem('innkeeper.scopes')
  act(() => void window.dispatchEvent(new StorageEvent('storage', { key: 'innkeeper.scopes' })))
  await waitFor(() => expect(path()).toBe('/auth/login'))
  panel.respond(getSelf, { id, username: 'wren', email: 'wren@example.net' })
  await user.type(await screen.findByLabelText('Email'), 'wren@example.net')
  await user.type(screen.getByLabelText('Password'), 'right{Enter}')
  await waitFor(() => expect(path()).toBe('/addserver'))
}

test('the draft is restored for the same user after the session expired', async () => {
  await expireAndSignIn(1)

  expect((await screen.findByRole<HTMLInputElement>('textbox', { name: /^Name/ })).value).toBe('lobby')
})

test('the draft is not shown to another user after the session expired', async () => {
  await expireAndSignIn(2)

  await screen.findByRole('radio', { name: /Any command/, checked: false })
  expect(continueButton().disabled).toBe(true)
})

test('the template of a created server is recently used', async () => {
  const { user, router } = await goToSettings(aPanel())
  await user.type(screen.getByRole('textbox', { name: /^Name/ }), 'lobby')
  await user.click(continueButton())
  await user.click(await screen.findByRole('button', { name: 'Create server' }))
  await waitFor(() => expect(router.state.location.pathname).toBe('/server/0a1b2c3d'))

  await act(() => router.navigate('/addserver'))

  expect(await screen.findByRole('heading', { name: 'Recently used' })).toBeTruthy()
  expect(screen.getAllByRole('radio', { name: /Any command/ })).toHaveLength(1)
})

test('a node of another processor is shown with the reason', async () => {
  const panel = aPanel()
  panel.respond(getTemplate, { ...command, requirements: { os: 'linux||darwin', arch: 'arm64' } })
  const { user } = await openApp('/addserver', { as: admin, panel })
  await user.click(await screen.findByRole('radio', { name: /Any command/ }))

  expect(await screen.findByText('System: Linux or macOS')).toBeTruthy()
  expect(await screen.findByText('Not available on LocalNode')).toBeTruthy()
  await user.click(continueButton())

  const node = await screen.findByRole<HTMLButtonElement>('radio', { name: /LocalNode.*amd64/ })
  expect(node.disabled).toBe(true)
})

test('an administrator sets a variable that users do not see, or leaves it to the template', async () => {
  const panel = aPanel()
  const account = { value: '', display: 'Steam account', required: true, internal: true }
  const key = { value: '', display: 'Steam key', required: true, internal: true }
  panel.respond(getTemplate, { ...command, data: { ...command.data, account, key } })
  const { user } = await goToSettings(panel)

  await user.type(screen.getByRole('textbox', { name: /^Name/ }), 'lobby')
  await user.type(screen.getByRole('textbox', { name: /Steam account/ }), 'mara')
  await user.click(continueButton())
  await user.click(await screen.findByRole('button', { name: 'Create server' }))

  await waitFor(() =>
    expect(panel.requests(createServer)[0]?.body).toMatchObject({
      data: { account: { value: 'mara' }, key: { value: '' } },
    }),
  )
})

test('other users do not see a variable that is hidden from users', async () => {
  const panel = aPanel()
  const account = { value: '', display: 'Steam account', required: true, internal: true }
  panel.respond(getTemplate, { ...command, data: { ...command.data, account } })
  await goToContainer(panel, ['servers.create', 'templates.view', 'nodes.view'])

  expect(screen.getByRole('textbox', { name: /Port/ })).toBeTruthy()
  expect(screen.queryByRole('textbox', { name: /Steam account/ })).toBeNull()
})

test('the review warns when the license is not accepted', async () => {
  const panel = aPanel()
  const eula = { type: 'boolean', value: false, display: 'EULA accepted' }
  panel.respond(getTemplate, { ...command, data: { eula } })
  const { user } = await goToSettings(panel)
  await user.type(screen.getByRole('textbox', { name: /^Name/ }), 'lobby')
  await user.click(continueButton())

  expect(await screen.findByText(/“EULA accepted” is off/)).toBeTruthy()
})

test('each node shows how many servers it has, and an offline one when it was last seen', async () => {
  const panel = aPanel()
  const anHourAgo = new Date(Date.now() - 3_600_000).toISOString()
  panel.respond(listNodeChoices, [
    aNodeChoice({ servers: { total: 5, running: 2 } }),
    aNodeChoice({ id: 3, name: 'Attic', online: false, seenAt: anHourAgo, servers: { total: 1, running: 0 } }),
  ])

  const { user } = await openApp('/addserver', { as: admin, panel })
  await user.click(await screen.findByRole('radio', { name: /Any command/ }))
  await waitFor(() => expect(continueButton().disabled).toBe(false))
  await user.click(continueButton())

  await screen.findByRole('radio', { name: /LocalNode.*5 servers/ })
  screen.getByRole('radio', { name: /Attic.*Last seen 1.*ago.*1 server$/ })
})
