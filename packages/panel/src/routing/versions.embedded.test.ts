import { putSelf } from '@innkeeper/contract/accounts/account'
import { editUser, getUser, getUserPermissions, putUserPermissions } from '@innkeeper/contract/accounts/users'
import type { Endpoint } from '@innkeeper/contract/api/endpoint'
import {
  getNodeRetention,
  getPanelRetention,
  putNodeRetention,
  putPanelRetention,
} from '@innkeeper/contract/backups/backup-plan'
import { getNodePorts, putNodePorts } from '@innkeeper/contract/nodes/node-ports'
import { createNode, editNode, getNode } from '@innkeeper/contract/nodes/nodes'
import { getSelf } from '@innkeeper/contract/settings/panel'
import { listSettings, postSettings } from '@innkeeper/contract/settings/settings'
import { describe, expect } from 'vitest'
import { password, type TestPanel, type TestUser, test } from '../testing/test-panel.ts'

interface Edited {
  readonly get: Endpoint
  readonly put: Endpoint
  readonly params?: Record<string, unknown>
  readonly first: Record<string, unknown>
  readonly second: Record<string, unknown>
}

const edited: Readonly<Record<string, (testPanel: TestPanel, admin: TestUser) => Promise<Edited>>> = {
  'a node': async (testPanel, admin) => {
    const node = await testPanel.send(createNode, { body: { name: 'far', publicHost: 'far.example' } }, admin)
    const params = { id: node.answer.id }
    return { get: getNode, put: editNode, params, first: { name: 'mine' }, second: { name: 'theirs' } }
  },
  'the ports of a node': async () => {
    const range = { address: '0.0.0.0', from: 2000, to: 2010 }
    const [first, second] = [{ ranges: [range] }, { ranges: [{ ...range, to: 2020 }] }]
    return { get: getNodePorts, put: putNodePorts, params: { id: 0 }, first, second }
  },
  'a user': async (testPanel) => {
    const params = { id: (await testPanel.createUser()).id }
    return { get: getUser, put: editUser, params, first: { username: 'mine' }, second: { username: 'theirs' } }
  },
  'the permissions of a user': async (testPanel) => {
    const params = { id: (await testPanel.createUser()).id }
    const [first, second] = [{ viewNodes: true }, { viewTemplates: true }]
    return { get: getUserPermissions, put: putUserPermissions, params, first, second }
  },
  "the user's own account": async () => {
    const [first, second] = [
      { username: 'mine', password },
      { username: 'theirs', password },
    ]
    return { get: getSelf, put: putSelf, first, second }
  },
  'the retention of the panel': async () => ({
    get: getPanelRetention,
    put: putPanelRetention,
    first: { last: 1 },
    second: { last: 2 },
  }),
  'the retention of a node': async () => ({
    get: getNodeRetention,
    put: putNodeRetention,
    params: { id: 0 },
    first: { last: 1 },
    second: { last: 2 },
  }),
  'the settings': async () => {
    const name = 'panel.settings.companyName'
    return { get: listSettings, put: postSettings, first: { [name]: 'Mine' }, second: { [name]: 'Theirs' } }
  },
}

describe.each(Object.entries(edited))('%s', (_, open) => {
  test('is not changed by a request with an outdated version', async ({ testPanel }) => {
    const admin = await testPanel.admin()
    const { get, put, params, first, second } = await open(testPanel, admin)
    const request = params ? { params } : {}
    const read = () => testPanel.send(get, request as never, admin)
    const write = (body: object, headers?: Record<string, string>) =>
      testPanel.send(put, { ...request, body } as never, admin, headers)
    const opened = String((await read()).headers.etag)

    const current = await write(second, { 'if-match': opened })
    const now = await read()
    const outdated = await write(first, { 'if-match': opened })

    expect(opened).toMatch(/^"[\w-]+"$/)
    expect(current.status).toBe(204)
    expect([outdated.status, outdated.refusal]).toEqual([412, 'ErrStaleVersion'])
    expect((await read()).answer).toEqual(now.answer)
    expect((await write(first, { 'if-match': String(now.headers.etag) })).status).toBe(204)
    expect((await write(second)).status).toBe(204)
  })
})
