import { getBackupPlan, getNodeRetention, type PlannedJob } from '@innkeeper/contract/backups/backup-plan'
import { keepEverything } from '@innkeeper/contract/backups/backup-retention'
import { listBackupTargets } from '@innkeeper/contract/backups/backup-targets'
import { getBackupOverview, getNodeBackups } from '@innkeeper/contract/backups/node-backups'
import { Refusal } from '@innkeeper/contract/errors/refusals'
import { getEvacuation } from '@innkeeper/contract/moves/evacuations'
import { createJoinToken, listJoinTokens, revokeJoinToken } from '@innkeeper/contract/nodes/join-tokens'
import { type NewAvailability, putNodeAvailability } from '@innkeeper/contract/nodes/node-availability'
import { getNodePorts, putNodePorts } from '@innkeeper/contract/nodes/node-ports'
import {
  createNode,
  deleteNode,
  editNode,
  getNode,
  getNodeDeployment,
  listNodes,
  type Node,
  type NodeHealth,
  type NodeIsolation,
} from '@innkeeper/contract/nodes/nodes'
import { defaultPlacement, getNodePlacement, putNodePlacement } from '@innkeeper/contract/nodes/placement'
import {
  listUnregisteredServers,
  registerServer,
  stopUnregisteredServer,
} from '@innkeeper/contract/nodes/unregistered-servers'
import { listServers } from '@innkeeper/contract/servers/servers'
import { fireEvent, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { expect, test } from 'vitest'
import { FakePanel } from '../../testing/fake-panel.ts'
import { openApp } from '../../testing/open-app.tsx'
import { refocusWindow } from '../../testing/open-part.tsx'
import { aServer, getPage } from '../../testing/samples.ts'
import { getConfigCommand } from './config-command.ts'

const enforced = { enforced: true }
const isolation: NodeIsolation = {
  user: enforced,
  hiddenProcesses: { enforced: false, reason: 'the program unshare of util-linux is missing' },
  noNewPrivileges: enforced,
  limits: {
    memory: enforced,
    cpu: enforced,
    processes: enforced,
    disk: { enforced: false, reason: 'no quotas', code: 'mountOption', values: { mountPoint: '/srv' } },
  },
}
const at = '2026-01-01T00:00:00.000Z'
const health: NodeHealth = {
  state: 'online',
  since: at,
  seenAt: at,
  problems: [],
  clockSkewMs: 0,
  features: { features: [], environments: ['tty'], os: 'linux', arch: 'amd64', version: '1.2.3', isolation },
  machine: {
    startedAt: at,
    cpu: { cores: 4, used: 25 },
    memory: { total: 2048, used: 1024 },
    disk: { total: 4096, used: 512 },
  },
  servers: { total: 3, running: 2 },
}
const local: Node = {
  id: 0,
  name: 'LocalNode',
  publicHost: 'panel.example.org',
  privateHost: 'panel.example.org',
  publicPort: 8080,
  privatePort: 8080,
  sftpPort: 5657,
  isLocal: true,
  health,
}
const far: Node = { ...local, id: 3, name: 'far', publicHost: 'far.example.org', isLocal: false }
const scopes = ['servers.admin', 'nodes.view', 'nodes.edit', 'nodes.deploy'] as const
const admin = { as: [...scopes] }

function panelWith(node: Node): FakePanel {
  const panel = new FakePanel()
  panel.respond(listNodes, [local, node])
  panel.respond(listJoinTokens, [])
  panel.respond(getNode, node)
  panel.respond(getEvacuation, null)
  panel.respond(getNodePorts, { ranges: [], reserved: [] })
  panel.respond(getNodeBackups, [])
  panel.respond(listUnregisteredServers, [])
  panel.respond(getNodePlacement, { settings: defaultPlacement })
  panel.respond(getBackupOverview, { nodes: [], largest: [], failures: [] })
  panel.respond(getNodeRetention, { retention: keepEverything, source: 'default' })
  panel.respond(getBackupPlan, { work: [], missing: [] })
  panel.respond(listBackupTargets, { targets: [], defaults: ['local'] })
  panel.respond(listServers, { servers: [], paging: { page: 1, pageSize: 50, maxSize: 100, total: 0 } })
  return panel
}

async function findCard(name: string): Promise<HTMLElement> {
  const card = (await screen.findByRole('link', { name: `Open ${name}` })).closest('li')
  if (!card) throw new Error(`The node ${name} has no card`)
  return card
}

test('the list shows the state and the problems of each node', async () => {
  const problems = ['unreachable', 'clockSkew', 'otherVersion'] as const
  const wrong: Node = {
    ...far,
    privateHost: '10.0.0.9',
    health: { ...health, state: 'degraded', problems: [...problems], clockSkewMs: 90_000 },
  }

  await openApp('/node', { ...admin, panel: panelWith(wrong) })

  const first = (await screen.findByRole('link', { name: 'Open LocalNode' })).closest('li')
  const second = screen.getByRole('link', { name: 'Open far' }).closest('li')
  expect(first?.textContent).toContain('OnlineLocalNode')
  expect(first?.textContent).toContain('Not editable')
  expect(first?.textContent).toContain('2 of 3 running')
  expect(second?.textContent).toContain('Online, with problems')
  expect(second?.textContent).toContain('the panel cannot reach the node at 10.0.0.9:8080')
  expect(second?.textContent).toContain("The node's clock is off by 90 s")
  expect(second?.textContent).toContain('The node runs version 1.2.3')
})

test('the list shows how the latest checks of each node went', async () => {
  const panel = panelWith({ ...far, health: { ...health, state: 'offline' } })

  const { router } = await openApp('/node', { ...admin, panel })

  await screen.findByRole('button', { name: 'LocalNode (Last check: Online)' })
  screen.getByRole('button', { name: 'far (Last check: Offline)' })
  await router.navigate('/node/3')
  // The page of a node goes on counting.
  await screen.findByRole('button', { name: 'far (The last 2 checks: 0 online)' })
})

test('the list has small meters of each machine', async () => {
  await openApp('/node', { ...admin, panel: panelWith({ ...far, health: { ...health, state: 'offline' } }) })

  const first = within(await findCard('LocalNode'))
  expect(first.getByRole('progressbar', { name: 'CPU' }).getAttribute('aria-valuenow')).toBe('25')
  expect(first.getByText('50%')).toBeDefined()
  expect(within(await findCard('far')).getAllByRole('progressbar')).toHaveLength(3)
})

test('a node that waits for its first connection says so once, and is not asked for anything', async () => {
  const panel = panelWith({ ...far, health: { state: 'waiting', problems: [] } })

  const { router } = await openApp('/node', { ...admin, panel })
  const card = await findCard('far')
  expect(card.textContent?.match(/Waiting for first connection|Never connected/g)).toHaveLength(1)
  await router.navigate('/node/3')
  await screen.findByRole('heading', { name: 'far', level: 1 })
  await screen.findByText('Waiting for first connection')

  await screen.findByText('Ports for servers')
  expect(panel.requests(listBackupTargets)).toEqual([])
  expect(screen.queryByText('Upcoming backup jobs')).toBeNull()
})

test('without nodes there is one button that adds one', async () => {
  const panel = new FakePanel()
  panel.respond(listNodes, [])
  await openApp('/node', { ...admin, panel })

  await screen.findByRole('heading', { name: 'No nodes available' })

  expect(screen.getAllByRole('link', { name: 'Add node' })).toHaveLength(1)
})

test('a node is edited and deleted from the list', async () => {
  const panel = panelWith(far)
  panel.respond(deleteNode, undefined)
  const { user } = await openApp('/node', { ...admin, panel })

  const edit = await screen.findByRole('link', { name: 'Edit far' })
  expect(edit.getAttribute('href')).toBe('/node/3#settings')
  expect(screen.queryByRole('link', { name: 'Edit LocalNode' })).toBeNull()
  await user.click(screen.getByRole('button', { name: 'More actions for far' }))
  await user.click(await screen.findByRole('menuitem', { name: 'Delete node' }))
  const dialog = within(await screen.findByRole('dialog', { name: 'Delete far?' }))
  await user.type(dialog.getByRole('textbox'), 'far')
  await user.click(dialog.getByRole('button', { name: 'Delete node' }))

  await screen.findByText('Deleted far')
})

test('a node shows meters of its machine', async () => {
  await openApp('/node/3', { ...admin, panel: panelWith(far) })

  const cpu = await screen.findByRole('progressbar', { name: 'CPU' })
  expect(cpu.getAttribute('aria-valuenow')).toBe('25')
  expect(screen.getByRole('progressbar', { name: 'Memory' }).getAttribute('aria-valuenow')).toBe('50')
  expect(screen.getByRole('progressbar', { name: 'Disk' }).getAttribute('aria-valuenow')).toBe('12.5')
})

test('a node shows which isolation it enforces, and why not', async () => {
  await openApp('/node/3', { ...admin, panel: panelWith(far) })

  const list = within(await screen.findByRole('list', { name: 'Server isolation' }))
  expect(list.getAllByRole('listitem').map((item) => item.textContent)).toEqual([
    'Each server has its own system user',
    "Servers can read the command lines of each other's processesThe program unshare of util-linux is missing",
    'Servers cannot gain privileges',
    'Memory limits enforced',
    'CPU limits enforced',
    'Process limits enforced',
    'Disk limits not enforcedQuotas cannot be set, because the file system at /srv is not mounted with the option prjquota. Innkeeper measures disk usage, warns, and rejects new files beyond the limit.',
  ])
  screen.getByText('25% of 4 cores')
})

test('a user who may not view nodes reads which permission to ask for', async () => {
  const panel = panelWith(far)
  panel.respond(listNodes, new Refusal('ErrMissingScope', { scope: 'nodes.view' }))

  await openApp('/node', { as: ['servers.view'], panel })

  await screen.findByText('Ask an administrator for the permission “View nodes”.')
  expect(screen.queryByRole('button', { name: 'Try again' })).toBeNull()
})

test('a user who may not add nodes reads which permission to ask for, on the page for it', async () => {
  await openApp('/addnode', { as: ['nodes.view'], panel: panelWith(far) })

  await screen.findByText('Ask an administrator for the permission “Edit nodes”.')
  screen.getByRole('heading', { level: 1, name: 'Add node' })
})

test('a node is added, and its page shows how to deploy it', async () => {
  const panel = panelWith(far)
  panel.respond(createNode, far)
  panel.respond(getNodeDeployment, deployment())
  await openApp('/addnode', { ...admin, panel })
  const user = userEvent.setup()

  await user.click(await screen.findByRole('button', { name: 'Add node' }))
  await screen.findByText('Name is required')
  const name = screen.getByRole<HTMLInputElement>('textbox', { name: 'Name' })
  expect(name.required).toBe(true)
  expect(
    screen.getByText('Letters, digits, spaces, hyphens, underscores, and dots, for example Frankfurt 1.'),
  ).toBeTruthy()
  await user.type(name, 'far')
  await user.type(screen.getByRole('textbox', { name: 'Public host' }), 'far.example.org')
  await user.click(screen.getByRole('button', { name: 'Add node' }))

  const drawer = within(await screen.findByRole('dialog', { name: /Connect far/ }))
  expect(panel.requests(createNode)[0]?.body).toEqual({
    name: 'far',
    publicHost: 'far.example.org',
    publicPort: 8080,
    privateHost: 'far.example.org',
    privatePort: 5656,
    sftpPort: 5657,
    isBehindNat: false,
  })
  const reveal = await drawer.findByRole('button', { name: 'Reveal' })
  expect(drawer.queryByText(/the-secret/)).toBeNull()
  expect(drawer.getByRole('link', { name: 'How to install Innkeeper' }).getAttribute('href')).toBe('/docs/install')
  await user.click(reveal)
  drawer.getByText(/the-secret/)
  await drawer.findByText('far is connected')
})

test('a machine behind NAT has no private address, and its page says how it is connected', async () => {
  const panel = panelWith({ ...far, privateHost: '', health: { state: 'online', problems: [], isTunnelled: true } })
  await openApp('/node/3', { ...admin, panel })

  await screen.findByText("Connected through the node's own connection")
  const behindNat = await screen.findByRole<HTMLInputElement>('switch', { name: /^This machine is behind NAT/ })
  expect(behindNat.checked).toBe(true)
  expect(screen.queryByRole('textbox', { name: 'Private port' })).toBeNull()
})

test('a join token is created, shown once with its configuration, and revoked', async () => {
  const panel = panelWith(far)
  const token = {
    id: 'a1b2',
    uses: 10,
    usesLeft: 8,
    expiresAt: '2026-12-01T00:00:00.000Z',
    createdAt: '',
    createdBy: 'mara',
  }
  panel.respond(listJoinTokens, [token])
  panel.respond(createJoinToken, { id: 'a1b2', token: 'a1b2.secret', config: '{"joinToken":"a1b2.secret"}\n' })
  panel.respond(revokeJoinToken, undefined)
  await openApp('/node', { ...admin, panel })
  const user = userEvent.setup()

  await user.click(await screen.findByRole('button', { name: 'Create join token' }))
  await screen.findByText('{"joinToken":"a1b2.secret"}')
  expect(panel.requests(createJoinToken)[0]?.body).toEqual({ uses: 10, hours: 168 })
  await screen.findByText('8 of 10 nodes can still join')
  await user.click(screen.getByRole('button', { name: 'Revoke join token a1b2' }))

  await waitFor(() => expect(panel.requests(revokeJoinToken)[0]?.path).toBe('/api/nodes/join-tokens/a1b2'))
})

test('a duplicate name is shown at its field, and the edits stay', async () => {
  const panel = panelWith(far)
  panel.respond(editNode, new Refusal('ErrDuplicateNodeName'))
  await openApp('/node/3', { ...admin, panel })
  const user = userEvent.setup()

  const name = await screen.findByRole('textbox', { name: 'Name' })
  await user.type(name, 'ther')
  await user.click(screen.getByRole('button', { name: 'Save' }))

  await screen.findByText('A node with this name already exists')
  expect(name).toHaveProperty('value', 'farther')
})

test('a node with servers is deleted with them only after a second confirmation that names them', async () => {
  const panel = panelWith(far)
  panel.respond(deleteNode, ({ query }) =>
    query.has('force') ? undefined : new Refusal('ErrNodeHasServers', { servers: 'lobby, arena' }),
  )
  await openApp('/node/3', { ...admin, panel })
  const user = userEvent.setup()
  await user.click(await screen.findByRole('button', { name: 'Delete node' }))
  const first = within(await screen.findByRole('dialog', { name: 'Delete far?' }))
  await user.type(first.getByRole('textbox'), 'far')
  await user.click(first.getByRole('button', { name: 'Delete node' }))

  const second = within(await screen.findByRole('dialog', { name: 'Delete far and its servers?' }))
  second.getByText(/still has servers: lobby, arena/)
  await user.type(second.getByRole('textbox'), 'far')
  await user.click(second.getByRole('button', { name: 'Delete node and servers' }))

  await screen.findByText('Deleted far')
})

test('a node with servers is not deleted by a user who may not delete servers', async () => {
  const panel = panelWith(far)
  panel.respond(deleteNode, new Refusal('ErrNodeHasServers', { servers: 'lobby, arena' }))
  await openApp('/node/3', { as: ['nodes.view', 'nodes.edit'], panel })
  const user = userEvent.setup()

  await user.click(await screen.findByRole('button', { name: 'Delete node' }))
  const dialog = within(await screen.findByRole('dialog', { name: 'Delete far?' }))
  await user.type(dialog.getByRole('textbox'), 'far')
  await user.click(dialog.getByRole('button', { name: 'Delete node' }))

  await screen.findByText(/still has servers: lobby, arena/)
})

test('a node that has joined shows no secret, and the secret can be replaced', async () => {
  const panel = panelWith(far)
  panel.respond(getNodeDeployment, deployment(''))
  await openApp('/node/3?deploy', { ...admin, panel })

  await screen.findByText(/This node has already connected/)
  expect(screen.queryByRole('button', { name: 'Reveal' })).toBeNull()
  screen.getByRole('button', { name: 'Replace secret' })
})

test('port ranges are validated and saved, also those of this machine', async () => {
  const panel = panelWith(far)
  const server = { id: '0a0a0a0a', name: 'lobby' }
  panel.respond(listServers, getPage([aServer(server.id, server.name)]))
  panel.respond(getNode, local)
  panel.respond(getNodePorts, { ranges: [], reserved: [{ address: '10.0.0.7', port: 7000, server }] })
  panel.respond(getNodeBackups, [{ server: server.id, backups: 3, bytes: 5 * 1024 ** 2 }])
  panel.respond(putNodePorts, undefined)
  await openApp('/node/0', { ...admin, panel })
  const user = userEvent.setup()

  const form = within(await screen.findByRole('form', { name: 'Ports for servers' }))
  const row = (await screen.findByRole('link', { name: 'lobby' })).closest('tr')
  await screen.findByText('5 MiB')
  expect(row?.textContent).toContain('lobby10.0.0.7:70005 MiB')
  await user.click(form.getByRole('button', { name: 'Add range' }))
  await user.type(form.getByRole('textbox', { name: 'First port' }), '7000')
  await user.type(form.getByRole('textbox', { name: 'Last port' }), '6000')
  await user.click(form.getByRole('button', { name: 'Save ports' }))
  form.getByText('Last port is invalid')
  expect(panel.requests(putNodePorts)).toEqual([])
  const last = form.getByRole('textbox', { name: 'Last port' })
  await user.clear(last)
  await user.type(last, '7100')
  await user.type(form.getByRole('textbox', { name: 'Note' }), 'games{Enter}')

  await screen.findByText('Saved')
  const ranges = [{ address: '0.0.0.0', from: 7000, to: 7100, note: 'games' }]
  expect(panel.requests(putNodePorts)[0]?.body).toEqual({ ranges })
})

test('a maintenance needs a reason, and is shown until it ends', async () => {
  let node: Node = far
  const panel = panelWith(far)
  panel.respond(getNode, () => node)
  panel.respond(listNodes, () => [local, node])
  panel.respond(putNodeAvailability, ({ body }) => {
    node = { ...far, availability: body as NewAvailability }
    return undefined
  })
  const { user, router } = await openApp('/node/3', { ...admin, panel })
  const form = within(await screen.findByRole('form', { name: 'Availability' }))

  await user.selectOptions(form.getByRole('combobox', { name: 'State of the node' }), 'Maintenance')
  await user.click(form.getByRole('button', { name: 'Save' }))
  form.getByText('Reason is required')
  await user.type(form.getByRole('textbox', { name: 'Reason' }), 'New disks')
  fireEvent.change(form.getByLabelText('End'), { target: { value: '2099-01-02T03:04' } })
  await user.click(form.getByRole('button', { name: 'Save' }))

  const until = new Date('2099-01-02T03:04').toISOString()
  await waitFor(() =>
    expect(panel.requests(putNodeAvailability)[0]?.body).toEqual({ state: 'maintenance', reason: 'New disks', until }),
  )
  const text = 'The node far is in maintenance until Jan 2, 2099, 3:04:00 AM: New disks'
  await screen.findByText(text, {}, { timeout: 20_000 })
  await router.navigate('/node')
  expect((await findCard('far')).textContent).toMatch(/^OnlineMaintenancefar/)
})

test('labels and factors for the placement of servers are saved', async () => {
  const panel = panelWith({ ...far, labels: ['eu'] })
  const gibibyte = 1024 ** 3
  const room = { memory: { total: 32 * gibibyte, free: 12 * gibibyte }, disk: { total: 100 * gibibyte, free: 0 } }
  panel.respond(getNodePlacement, { settings: { ...defaultPlacement, labels: ['eu'] }, room })
  panel.respond(putNodePlacement, undefined)
  const { user } = await openApp('/node/3', { ...admin, panel })
  const form = within(await screen.findByRole('form', { name: 'Placement of servers' }))

  screen.getByText(/^Free for new servers: 12.00 GiB of 32.00 GiB of memory/)
  await user.type(form.getByRole('combobox', { name: 'Labels' }), 'SSD,not/one,')
  const factor = form.getByRole('textbox', { name: 'Memory factor' })
  await user.clear(factor)
  await user.type(factor, '11')
  await user.click(form.getByRole('button', { name: 'Save' }))
  form.getByText('Memory factor must be between 0.1 and 10')
  await user.clear(factor)
  await user.type(factor, '1.5')
  await user.click(form.getByRole('button', { name: 'Save' }))

  await screen.findByText('Saved')
  expect(panel.requests(putNodePlacement)[0]?.body).toEqual({ labels: ['eu', 'ssd'], memoryFactor: 1.5, diskFactor: 1 })
})

test('one command writes the configuration file readable by its owner only', () => {
  expect(getConfigCommand('{\n}\n')).toBe(
    "sudo install -d -m 700 /etc/innkeeper && sudo tee /etc/innkeeper/config.json > /dev/null <<'CONFIG'\n{\n}\nCONFIG\nsudo chmod 600 /etc/innkeeper/config.json",
  )
})

function deployment(clientSecret = 'the-secret') {
  return {
    clientId: '.node_3',
    clientSecret,
    publicKey: 'a-key',
    panelUrl: 'https://panel.example.org',
    config: `{\n  "nodeSecret": "${clientSecret}"\n}\n`,
  }
}

test('the servers of a node that could not be loaded are an error, and none are an empty state', async () => {
  const panel = panelWith(far)
  panel.respond(listServers, new Refusal('ErrUnknownError'))
  const { user } = await openApp('/node/3', { ...admin, panel })
  await screen.findByRole('heading', { name: 'Could not load the servers' })
  panel.respond(listServers, getPage([]))

  await user.click(screen.getByRole('button', { name: 'Try again' }))

  await screen.findByText('No servers yet')
  screen.getByRole('heading', { name: 'Servers' })
})

test('a server that only the node has is stopped, and added to the panel', async () => {
  const panel = panelWith(far)
  const server = { id: '0a0a0a0a', display: 'Paper' }
  let servers = [{ ...server, running: true }]
  panel.respond(listUnregisteredServers, () => servers)
  panel.respond(stopUnregisteredServer, () => {
    servers = [{ ...server, running: false }]
    return undefined
  })
  panel.respond(registerServer, () => {
    servers = []
    return undefined
  })
  await openApp('/node/3', { ...admin, panel })
  const card = within(await screen.findByRole('region', { name: 'Servers that are not in the panel' }))

  await userEvent.click(card.getByRole('button', { name: 'Stop' }))
  await waitFor(() => expect(card.queryByRole('button', { name: 'Stop' })).toBeNull())
  await userEvent.click(card.getByRole('button', { name: 'Take over' }))

  await screen.findByText('Added 0a0a0a0a')
  expect(screen.queryByText('Servers that are not in the panel')).toBeNull()
})

test('servers of a node that could not be refreshed are marked', async () => {
  const panel = panelWith(far)
  panel.respond(listServers, getPage([aServer('0a0a0a0a', 'lobby')]))
  await openApp('/node/3', { ...admin, panel })
  await screen.findByRole('link', { name: 'lobby' })
  panel.respond(listServers, new Refusal('ErrUnknownError'))

  await refocusWindow()

  await screen.findByText(/^Could not refresh/)
  screen.getByRole('link', { name: 'lobby' })
})

test('the meters of an offline node are dimmed and say when they were measured', async () => {
  await openApp('/node/3', { ...admin, panel: panelWith({ ...far, health: { ...health, state: 'offline' } }) })

  const cpu = await screen.findByRole('progressbar', { name: 'CPU' })

  expect(cpu.closest('[style*="opacity: 0.5"]')).not.toBeNull()
  // In the row of the state, and in the card of the machine.
  expect(screen.getAllByText(/^Last seen/)).toHaveLength(2)
})

test('a node that the user may not edit is marked as read-only', async () => {
  await openApp('/node/3', { as: ['nodes.view'], panel: panelWith(far) })

  await screen.findByText('View only')
})

test('the pages of all nodes and of one list the next backups with links, and nodes that do not respond', async () => {
  const panel = panelWith(far)
  const node = { id: 3, name: 'far' }
  const server = { id: '0a0a0a0a', name: 'lobby' }
  const work: PlannedJob[] = [
    { type: 'backup', at: '2026-11-27T03:00:00.000Z', name: 'Nightly', node, server },
    { type: 'proof', at: '2026-11-28T02:00:00.000Z', node, server },
    { type: 'prune', at: '2026-11-28T03:00:00.000Z', name: 'NAS', node },
  ]
  panel.respond(getBackupPlan, ({ query }) => ({ work, missing: query.has('node') ? [] : ['away'] }))
  const { router } = await openApp('/node', { ...admin, panel })

  const all = within(await screen.findByRole('list', { name: 'Upcoming backup jobs' }))
  expect(all.getAllByRole('listitem').map(({ textContent }) => textContent)).toEqual([
    expect.stringMatching(/lobby.*Create a backup\s?Nightly.*far/),
    expect.stringMatching(/lobby.*Verify.*far/),
    expect.stringMatching(/Reclaim space from deleted backups\s?NAS.*far/),
  ])
  expect(all.getAllByRole('link', { name: 'lobby' })[0]?.getAttribute('href')).toContain('/server/0a0a0a0a')
  expect(screen.getByText('These nodes are not responding: away')).toBeDefined()
  await router.navigate('/node/3')
  await waitFor(() => expect(panel.requests(getBackupPlan).at(-1)?.query.get('node')).toBe('3'))
})

test('the next backups say when there are none, and when they cannot be read', async () => {
  const panel = panelWith(far)
  const { router } = await openApp('/node', { ...admin, panel })
  await screen.findByText(/^No backups are scheduled/)

  panel.respond(getBackupPlan, new Refusal('ErrUnknownError'))
  await router.navigate('/node/3')

  await screen.findByText('Could not load the backups')
})
