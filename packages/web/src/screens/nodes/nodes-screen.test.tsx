import { getNodePorts, putNodePorts } from '@innkeeper/contract/node-ports'
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
} from '@innkeeper/contract/nodes'
import { Refusal } from '@innkeeper/contract/refusals'
import { listServers } from '@innkeeper/contract/servers'
import { screen, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { expect, test } from 'vitest'
import { FakePanel } from '../../testing/fake-panel.ts'
import { openApp } from '../../testing/open-app.tsx'
import { commandFor } from './deploy-drawer.tsx'

const held = { enforced: true }
const isolation: NodeIsolation = {
  user: held,
  hiddenProcesses: { enforced: false, reason: 'no unshare' },
  noNewPrivileges: held,
  limits: { memory: held, cpu: held, processes: held, disk: { enforced: false, reason: 'no quotas' } },
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
  panel.answer(listNodes, [local, node])
  panel.answer(getNode, node)
  panel.answer(getNodePorts, { ranges: [], reserved: [] })
  panel.answer(listServers, { servers: [], paging: { page: 1, pageSize: 50, maxSize: 100, total: 0 } })
  return panel
}

test('the list says how each node is, and what is wrong with one that reports', async () => {
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
  expect(first?.textContent).toContain('2 of 3 run')
  expect(second?.textContent).toContain('Something is wrong')
  expect(second?.textContent).toContain('the panel does not reach it at 10.0.0.9:8080')
  expect(second?.textContent).toContain('Its clock is 90 s off')
  expect(second?.textContent).toContain('It runs version 1.2.3')
})

test('a node says what keeps its servers from each other, and what does not and why', async () => {
  await openApp('/node/3', { ...admin, panel: panelWith(far) })

  const list = within(await screen.findByRole('list', { name: 'What keeps servers from each other' }))
  expect(list.getAllByRole('listitem').map((item) => item.textContent)).toEqual([
    'Each server runs as a user of its own',
    "Servers can read the command lines of each other's processesno unshare",
    'Servers have no privileges and cannot gain any',
    'Memory limits are kept',
    'CPU limits are kept',
    'Limits on processes are kept',
    'Limits on disk space are not keptno quotas',
  ])
  screen.getByText('25% of 4 cores')
})

test('a node is added, ports as numbers, and its page says how it joins', async () => {
  const panel = panelWith(far)
  panel.answer(createNode, far)
  panel.answer(getNodeDeployment, deployment())
  await openApp('/addnode', { ...admin, panel })
  const person = userEvent.setup()

  await person.click(await screen.findByRole('button', { name: 'Add node' }))
  await screen.findByText('Name is required')
  const name = screen.getByRole<HTMLInputElement>('textbox', { name: 'Name' })
  expect(name.required).toBe(true)
  expect(screen.getByText('Letters, digits, blanks, -, _ and . can be used, for example Frankfurt 1.')).toBeTruthy()
  await person.type(name, 'far')
  await person.type(screen.getByRole('textbox', { name: 'Public host' }), 'far.example.org')
  await person.click(screen.getByRole('button', { name: 'Add node' }))

  const drawer = within(await screen.findByRole('dialog', { name: /Deploy far/ }))
  expect(panel.asked(createNode)[0]?.body).toEqual({
    name: 'far',
    publicHost: 'far.example.org',
    publicPort: 8080,
    privateHost: 'far.example.org',
    privatePort: 5656,
    sftpPort: 5657,
  })
  const reveal = await drawer.findByRole('button', { name: 'Reveal' })
  expect(drawer.queryByText(/the-secret/)).toBeNull()
  await person.click(reveal)
  drawer.getByText(/the-secret/)
  await drawer.findByText('far is connected')
})

test('a name that is taken is told at its field, and what was typed stays', async () => {
  const panel = panelWith(far)
  panel.answer(editNode, new Refusal('ErrDuplicateNodeName'))
  await openApp('/node/3', { ...admin, panel })
  const person = userEvent.setup()

  const name = await screen.findByRole('textbox', { name: 'Name' })
  await person.type(name, 'ther')
  await person.click(screen.getByRole('button', { name: 'Save' }))

  await screen.findByText('A node with this name already exists')
  expect(name).toHaveProperty('value', 'farther')
})

test('a node with servers is deleted with them only after a second question that names them', async () => {
  const panel = panelWith(far)
  panel.answer(deleteNode, ({ query }) =>
    query.has('force') ? undefined : new Refusal('ErrNodeHasServers', { servers: 'lobby, arena' }),
  )
  await openApp('/node/3', { ...admin, panel })
  const person = userEvent.setup()
  await person.click(await screen.findByRole('button', { name: 'Delete node' }))
  const first = within(await screen.findByRole('dialog', { name: 'Delete far?' }))
  await person.type(first.getByRole('textbox'), 'far')
  await person.click(first.getByRole('button', { name: 'Delete node' }))

  const second = within(await screen.findByRole('dialog', { name: 'Delete far and its servers?' }))
  second.getByText(/It still has servers: lobby, arena/)
  await person.type(second.getByRole('textbox'), 'far')
  await person.click(second.getByRole('button', { name: 'Delete node and servers' }))

  await screen.findByText('Deleted far')
})

test('a node with servers is not deleted by somebody who may not delete servers, and they are named', async () => {
  const panel = panelWith(far)
  panel.answer(deleteNode, new Refusal('ErrNodeHasServers', { servers: 'lobby, arena' }))
  await openApp('/node/3', { as: ['nodes.view', 'nodes.edit'], panel })
  const person = userEvent.setup()

  await person.click(await screen.findByRole('button', { name: 'Delete node' }))
  const dialog = within(await screen.findByRole('dialog', { name: 'Delete far?' }))
  await person.type(dialog.getByRole('textbox'), 'far')
  await person.click(dialog.getByRole('button', { name: 'Delete node' }))

  await screen.findByText(/It still has servers: lobby, arena/)
})

test('a node that has joined shows no secret, and can get a new one', async () => {
  const panel = panelWith(far)
  panel.answer(getNodeDeployment, deployment(''))
  await openApp('/node/3?deploy', { ...admin, panel })

  await screen.findByText(/This node has joined already/)
  expect(screen.queryByRole('button', { name: 'Reveal' })).toBeNull()
  screen.getByRole('button', { name: 'Replace secret' })
})

test('ranges of ports are typed, judged and saved, also those of this machine', async () => {
  const panel = panelWith(far)
  const server = { id: '0a0a0a0a', name: 'lobby' }
  panel.answer(getNode, local)
  panel.answer(getNodePorts, { ranges: [], reserved: [{ address: '10.0.0.7', port: 7000, server }] })
  panel.answer(putNodePorts, undefined)
  await openApp('/node/0', { ...admin, panel })
  const person = userEvent.setup()

  const form = within(await screen.findByRole('form', { name: 'Ports for servers' }))
  expect(screen.getByRole('link', { name: 'lobby' }).closest('li')?.textContent).toBe('10.0.0.7:7000 lobby')
  await person.click(form.getByRole('button', { name: 'Add range' }))
  await person.type(form.getByRole('textbox', { name: 'First port' }), '7000')
  await person.type(form.getByRole('textbox', { name: 'Last port' }), '6000')
  await person.click(form.getByRole('button', { name: 'Save ports' }))
  form.getByText('Last port is not valid')
  expect(panel.asked(putNodePorts)).toEqual([])
  const last = form.getByRole('textbox', { name: 'Last port' })
  await person.clear(last)
  await person.type(last, '7100')
  await person.type(form.getByRole('textbox', { name: 'Note' }), 'games{Enter}')

  await screen.findByText('Saved')
  const ranges = [{ address: '0.0.0.0', from: 7000, to: 7100, note: 'games' }]
  expect(panel.asked(putNodePorts)[0]?.body).toEqual({ ranges })
})

test('one command writes the configuration where nobody else reads it', () => {
  expect(commandFor('{\n}\n')).toBe(
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
