import { getBackupPlan, getNodeRetention } from '@innkeeper/contract/backups/backup-plan'
import { keepEverything } from '@innkeeper/contract/backups/backup-retention'
import { listBackupTargets } from '@innkeeper/contract/backups/backup-targets'
import { getBackupOverview } from '@innkeeper/contract/backups/node-backups'
import { getNodePorts, type NodePorts, putNodePorts } from '@innkeeper/contract/nodes/node-ports'
import { editNode, getNode, type Node } from '@innkeeper/contract/nodes/nodes'
import { defaultPlacement, getNodePlacement } from '@innkeeper/contract/nodes/placement'
import { listServers } from '@innkeeper/contract/servers/servers'
import { limits } from '@innkeeper/contract/text/limits'
import { screen, waitFor, within } from '@testing-library/react'
import { expect, test, vi } from 'vitest'
import { FakePanel } from '../../testing/fake-panel.ts'
import { openApp } from '../../testing/open-app.tsx'

const node: Node = {
  id: 3,
  name: 'far',
  publicHost: 'far.example.org',
  privateHost: 'far.example.org',
  publicPort: 8080,
  privatePort: 5656,
  sftpPort: 5657,
  isLocal: false,
}

/** The page of a node that other users change at the same time. */
async function openNode() {
  const panel = new FakePanel()
  const there = { node, ports: { ranges: [], reserved: [] } as NodePorts, version: 1 }
  const polls = vi.spyOn(window, 'setInterval')
  panel.respond(getNode, () => there.node)
  panel.respond(getNodePorts, () => there.ports)
  panel.respond(getNodePlacement, { settings: defaultPlacement })
  panel.respond(getBackupPlan, { work: [], missing: [] })
  panel.respond(getBackupOverview, { nodes: [], largest: [], failures: [] })
  panel.respond(getNodeRetention, { retention: keepEverything, source: 'default' })
  panel.respond(editNode, ({ body }) => {
    there.node = { ...there.node, ...(body as Partial<Node>) }
    there.version += 1
    return undefined
  })
  panel.respond(putNodePorts, ({ body }) => {
    there.ports = { ...there.ports, ...(body as Partial<NodePorts>) }
    return undefined
  })
  panel.setVersion(getNode, editNode, () => String(there.version))
  panel.respond(listServers, { servers: [], paging: { page: 1, pageSize: 50, maxSize: 100, total: 0 } })
  panel.respond(listBackupTargets, { targets: [], defaults: ['local'] })
  const app = await openApp('/node/3', { as: ['servers.admin', 'nodes.view', 'nodes.edit'], panel })
  await screen.findByRole('form', { name: 'Settings' })
  return {
    ...app,
    panel,
    there,
    /** Another user saves. */
    change: (changes: Partial<Node>) => {
      there.node = { ...there.node, ...changes }
      there.version += 1
    },
    /** The page refetches the node, as it does every few seconds. */
    async poll() {
      const before = panel.requests(getNode).length
      for (const [run, ms] of polls.mock.calls) if (ms === limits.nodeReportEveryMs && typeof run === 'function') run()
      await waitFor(() => expect(panel.requests(getNode).length).toBeGreaterThan(before))
    },
  }
}
const field = (name: string) => screen.getByRole<HTMLInputElement>('textbox', { name })
const save = () => screen.getByRole('button', { name: 'Save' })

test('edits of node settings made during a save stay', async () => {
  const { user, panel } = await openNode()
  const end = panel.pause(editNode)
  await user.type(field('Name'), '1')
  await user.click(save())
  await user.type(field('Public host'), '.net')

  end()

  await screen.findByText('Saved')
  expect(field('Public host').value).toBe('far.example.org.net')
  expect(screen.getByText('1 unsaved change')).toBeTruthy()
})

test('a refetched node keeps the edits and shows the changes of others', async () => {
  const { user, change, poll } = await openNode()
  await user.type(field('Name'), '1')

  change({ publicHost: 'near.example.org', privateHost: 'near.example.org' })
  await poll()

  await waitFor(() => expect(field('Public host').value).toBe('near.example.org'))
  expect(field('Name').value).toBe('far1')
})

test('a node that another user renamed too is a conflict', async () => {
  const { user, change, there } = await openNode()
  await user.type(field('Name'), '1')
  change({ name: 'near' })

  await user.click(save())

  const notice = await screen.findByRole('alert')
  expect(within(notice).getByText('far1')).toBeTruthy()
  expect(within(notice).getByText('near')).toBeTruthy()
  expect(there.node.name).toBe('near')
})

test('all errors of a node are shown at once', async () => {
  const { user, panel } = await openNode()
  await user.clear(field('Public host'))
  await user.type(field('Public host'), 'http://bad host')
  await user.clear(field('Private port'))
  await user.type(field('Private port'), '70000')

  await user.click(save())

  expect(await screen.findByText(/Public host must be/)).toBeTruthy()
  expect(screen.getByText(/Private port must be between/)).toBeTruthy()
  expect(document.activeElement).toBe(field('Public host'))
  expect(panel.requests(editNode)).toEqual([])
})

test('name and public host are required and have a description', async () => {
  const { user, panel } = await openNode()
  const described = (name: string) => screen.getByRole('textbox', { name, description: /./ })

  await user.clear(field('Name'))
  await user.clear(field('Public host'))
  await user.click(save())

  expect(await screen.findByText('Name is required')).toBeTruthy()
  expect(screen.getByText('Public host is required')).toBeTruthy()
  expect([field('Name').required, field('Public host').required]).toEqual([true, true])
  expect(described('Name').getAttribute('aria-describedby')).toContain(
    screen.getByText('Letters, digits, spaces, hyphens, underscores, and dots, for example Frankfurt 1.').id,
  )
  expect(described('Public host').getAttribute('aria-describedby')).toContain(
    screen.getByText('Where players reach the servers of this node: a hostname or an IP address.').id,
  )
  expect(panel.requests(editNode)).toEqual([])
})

test('a port range that is edited during a save stays', async () => {
  const { user, panel } = await openNode()
  const form = within(await screen.findByRole('form', { name: 'Ports for servers' }))
  await user.click(form.getByRole('button', { name: 'Add range' }))
  await user.type(form.getByRole('textbox', { name: 'First port' }), '7000')
  await user.type(form.getByRole('textbox', { name: 'Last port' }), '7100')
  const end = panel.pause(putNodePorts)
  await user.click(form.getByRole('button', { name: 'Save ports' }))
  await user.type(form.getByRole('textbox', { name: 'Note' }), 'games')

  end()

  await screen.findByText('Saved')
  expect(form.getByRole<HTMLInputElement>('textbox', { name: 'Note' }).value).toBe('games')
  expect(panel.requests(putNodePorts)[0]?.body).toEqual({ ranges: [{ address: '0.0.0.0', from: 7000, to: 7100 }] })
})

test('leaving a new node asks for confirmation', async () => {
  const { user } = await openApp('/addnode', { as: ['servers.admin', 'nodes.view', 'nodes.edit'] })
  await user.type(await screen.findByRole('textbox', { name: 'Name' }), 'far')

  await user.click(screen.getAllByRole('link', { name: 'Users' })[0] as HTMLElement)

  expect(await screen.findByRole('dialog', { name: 'Leave without saving?' })).toBeTruthy()
})
