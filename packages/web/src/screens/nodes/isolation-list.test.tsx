import { getNodeFeatures, listNodes, type NodeIsolation } from '@innkeeper/contract/nodes'
import { Refusal } from '@innkeeper/contract/refusals'
import { screen, within } from '@testing-library/react'
import { expect, test } from 'vitest'
import { FakePanel } from '../../testing/fake-panel.ts'
import { openApp } from '../../testing/open-app.tsx'

const node = {
  id: 0,
  name: 'LocalNode',
  publicHost: 'localhost',
  privateHost: 'localhost',
  publicPort: 8080,
  privatePort: 8080,
  sftpPort: 5657,
  isLocal: true,
}
const held = { enforced: true }
const isolation: NodeIsolation = {
  user: held,
  noNewPrivileges: held,
  limits: { memory: held, cpu: held, processes: held, disk: { enforced: false, reason: 'no quotas' } },
}

test('a node says what keeps its servers from each other, and what does not and why', async () => {
  const panel = new FakePanel()
  panel.answer(listNodes, [node])
  panel.answer(getNodeFeatures, { features: [], environments: [], os: 'linux', arch: 'amd64', version: '1', isolation })

  await openApp('/node', { as: ['servers.admin', 'nodes.view'], panel })

  const list = within(await screen.findByRole('list', { name: 'What keeps servers from each other' }))
  expect(list.getAllByRole('listitem').map((item) => item.textContent)).toEqual([
    'Each server runs as a user of its own',
    'Servers have no privileges and cannot gain any',
    'Memory limits are kept',
    'CPU limits are kept',
    'Limits on processes are kept',
    'Limits on disk space are not keptno quotas',
  ])
})

test('a node that does not answer claims nothing', async () => {
  const panel = new FakePanel()
  panel.answer(listNodes, [node])
  panel.answer(getNodeFeatures, new Refusal('ErrServiceNotAvailable'))

  await openApp('/node', { as: ['servers.admin', 'nodes.view'], panel })

  await screen.findByText('LocalNode')
  expect(screen.queryByRole('list', { name: 'What keeps servers from each other' })).toBeNull()
})
