import { createRole, deleteRole, getUserRoles, listRoles, putUserRoles } from '@innkeeper/contract/accounts/roles'
import { editUser, getUserPermissions, listUsers, putUserPermissions } from '@innkeeper/contract/accounts/users'
import type { PanelScope, ServerPermission } from '@innkeeper/contract/api/permissions'
import { listServers, putServerTags } from '@innkeeper/contract/servers/servers'
import { expect } from 'vitest'
import { loadNodePermissions } from '../access/node-permissions.ts'
import { type TestPanel, type TestUser, test } from '../testing/test-panel.ts'

interface NewRole {
  readonly scopes?: Exclude<PanelScope, 'servers.admin'>[]
  readonly permissions?: ServerPermission[]
}

async function addRole(testPanel: TestPanel, as: TestUser, name: string, role: NewRole): Promise<string> {
  return (await testPanel.send(createRole, { body: { name, ...role } }, as)).answer.id
}

const give = (testPanel: TestPanel, as: TestUser, id: number, roles: { role: string; tag?: string }[]) =>
  testPanel.send(putUserRoles, { params: { id }, body: { roles } }, as)

const tag = (testPanel: TestPanel, id: string, tags: string[], as: TestUser) =>
  testPanel.send(putServerTags, { params: { id }, body: { tags } }, as)

async function seen(testPanel: TestPanel, as: TestUser) {
  const { answer } = await testPanel.send(listServers, { query: { permissions: '' } }, as)
  return Object.fromEntries(answer.servers.map(({ id, permissions }) => [id, permissions]))
}

test('a role gives its scopes, and its permissions on all servers or on those with a tag, beside own grants', async ({
  testPanel,
}) => {
  const [admin, one, two] = [await testPanel.admin(), await testPanel.server(), await testPanel.server()]
  await tag(testPanel, two, ['Event'], admin)
  const user = await testPanel.createUser({ on: { [one]: ['viewServerConsole'] } })
  const operator = await addRole(testPanel, admin, 'Operator', { permissions: ['startServer'], scopes: ['users.view'] })

  await give(testPanel, admin, user.id, [{ role: operator, tag: 'event' }])
  expect(await seen(testPanel, user)).toEqual({ [one]: ['viewServerConsole'], [two]: ['startServer'] })
  expect((await testPanel.send(listUsers, { query: {} }, user)).status).toBe(200)
  const pairs = [one, two].map((server) => ({ userId: user.id, server }))
  const onNode = await loadNodePermissions(testPanel.db, 0, pairs, Date.now())
  expect(pairs.map((pair) => [...(onNode(pair) ?? [])].sort())).toEqual([
    ['viewServer', 'viewServerConsole'],
    ['startServer', 'viewServer'],
  ])

  await give(testPanel, admin, user.id, [{ role: operator }])
  expect(await seen(testPanel, user)).toEqual({ [one]: ['viewServerConsole', 'startServer'], [two]: ['startServer'] })
  expect((await testPanel.send(getUserPermissions, { params: { id: user.id } }, admin)).answer).not.toHaveProperty(
    'viewUsers',
  )

  await testPanel.send(deleteRole, { params: { id: operator } }, admin)
  expect(await seen(testPanel, user)).toEqual({ [one]: ['viewServerConsole'] })
  expect((await testPanel.send(listUsers, { query: {} }, user)).refusal).toBe('ErrMissingScope')
})

test('nobody gives a role with more than they have, and no role makes an administrator', async ({ testPanel }) => {
  const [admin, id] = [await testPanel.admin(), await testPanel.server()]
  const support = await addRole(testPanel, admin, 'Support', { scopes: ['users.view'], permissions: ['startServer'] })
  const editor = await testPanel.createUser({ scopes: ['users.edit'], on: { [id]: ['startServer'] } })
  const member = await testPanel.createUser({ scopes: ['users.edit', 'users.view'] })
  const target = await testPanel.createUser()
  await give(testPanel, admin, member.id, [{ role: support, tag: 'event' }])
  const refusal = async (as: TestUser, roles: { role: string; tag?: string }[], on = target.id) =>
    (await give(testPanel, as, on, roles)).refusal

  expect(await refusal(editor, [{ role: support }])).toBe('ErrMissingScope')
  expect(await refusal(member, [{ role: support }])).toBe('ErrMissingScope')
  expect(await refusal(member, [{ role: support, tag: 'other' }])).toBe('ErrMissingScope')
  expect(await refusal(member, [{ role: support }], member.id)).toBe('ErrMissingScope')
  expect(await refusal(member, [{ role: support, tag: 'Event' }])).toBeUndefined()
  expect(await refusal(admin, [{ role: 'none' }])).toBe('ErrFieldInvalid')
  const body = { name: 'Root', scopes: ['servers.admin'] }
  expect((await testPanel.request('POST', '/api/roles', body, admin)).status).toBe(400)
  expect((await testPanel.send(createRole, { body: { name: 'support' } }, admin)).refusal).toBe('ErrDuplicateRoleName')

  // Access to an account with a role includes the role.
  const password = { password: 'another password' }
  await give(testPanel, admin, target.id, [{ role: support }])
  expect((await testPanel.send(editUser, { params: { id: target.id }, body: password }, editor)).refusal).toBe(
    'ErrMissingScope',
  )
})

test('a tag that roles are given for is changed only by who may manage users and has what the roles give', async ({
  testPanel,
}) => {
  const [admin, id] = [await testPanel.admin(), await testPanel.server()]
  const role = await addRole(testPanel, admin, 'Owner', { permissions: ['deleteServer', 'editServerUsers'] })
  const editor = await testPanel.createUser({ on: { [id]: ['editServerData'] } })
  await give(testPanel, admin, editor.id, [{ role, tag: 'event' }])

  expect((await tag(testPanel, id, ['event'], editor)).refusal).toBe('ErrMissingScope')
  expect((await tag(testPanel, id, ['other'], editor)).status).toBe(204)
  expect((await tag(testPanel, id, ['other', 'event'], admin)).status).toBe(204)
  expect((await tag(testPanel, id, ['event'], editor)).status).toBe(204)
})

test('saving the permissions of a user leaves roles as they are, and roles of other sources stay', async ({
  testPanel,
}) => {
  const [admin, user] = [await testPanel.admin(), await testPanel.createUser()]
  const role = await addRole(testPanel, admin, 'Support', { scopes: ['users.view'] })
  const row = { role_id: role, user_id: user.id, tag_key: '', tag: '', source: 'a provider' }
  await testPanel.db.insertInto('role_grants').values(row).execute()

  await testPanel.send(putUserPermissions, { params: { id: user.id }, body: {} }, admin)
  await give(testPanel, admin, user.id, [])

  const { answer } = await testPanel.send(getUserRoles, { params: { id: user.id } }, admin)
  expect(answer.roles).toEqual([{ role, name: 'Support', source: 'a provider' }])
  const { answer: roles } = await testPanel.send(listRoles, {}, user)
  expect(roles).toMatchObject([{ name: 'Support', users: 1 }])
})
