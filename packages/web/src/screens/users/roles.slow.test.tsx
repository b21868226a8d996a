import {
  createRole,
  deleteRole,
  getUserRoles,
  listRoles,
  putRole,
  putUserRoles,
  type Role,
} from '@innkeeper/contract/accounts/roles'
import { getUser, getUserPermissions, listUserServers, listUsers } from '@innkeeper/contract/accounts/users'
import { Refusal } from '@innkeeper/contract/errors/refusals'
import { screen, waitFor, within } from '@testing-library/react'
import { expect, test } from 'vitest'
import { FakePanel } from '../../testing/fake-panel.ts'
import { openApp } from '../../testing/open-app.tsx'

const admin = ['servers.admin']
const support: Role = {
  id: 'r1',
  name: 'Support',
  description: 'Helps with event servers',
  scopes: ['users.view'],
  permissions: ['startServer', 'stopServer'],
  users: 2,
}

function createPanel(): FakePanel {
  const panel = new FakePanel()
  const tamsin = { id: 2, username: 'tamsin', email: 'tamsin@example.net' }
  const paging = { page: 1, pageSize: 10, maxSize: 100, total: 1 }
  panel.respond(listUsers, { users: [{ ...tamsin, access: 'some' }], paging })
  panel.respond(getUser, { ...tamsin, otpEnabled: false, emailConfirmed: true })
  panel.respond(getUserPermissions, {})
  panel.respond(listUserServers, { servers: [], paging: { ...paging, total: 0 } })
  panel.respond(listRoles, [support])
  return panel
}

test('administrators create a role, see why a name is refused, and delete one after a question', async () => {
  const panel = createPanel()
  panel.respond(createRole, new Refusal('ErrDuplicateRoleName', { field: 'name' }))
  panel.respond(deleteRole, undefined)
  const { user } = await openApp('/user/roles', { as: admin, panel })
  const list = await screen.findByRole('list', { name: 'Roles' })
  expect(within(list).getByText('3 permissions')).toBeDefined()
  expect(within(list).getByText('2 users')).toBeDefined()

  await user.click(screen.getByRole('button', { name: 'Create role' }))
  const dialog = await screen.findByRole('dialog', { name: 'Create role' })
  await user.type(within(dialog).getByRole('textbox', { name: 'Name' }), 'Support')
  await user.click(within(dialog).getByRole('button', { name: 'Create role' }))
  await within(dialog).findByText('A role with this name already exists')
  panel.respond(createRole, { id: 'r2' })
  await user.type(within(dialog).getByRole('textbox', { name: 'Name' }), ' two')
  await user.click(within(dialog).getByRole('combobox', { name: 'Permissions on servers' }))
  await user.click(await screen.findByRole('option', { name: 'Start and restart' }))
  await user.click(within(dialog).getByRole('button', { name: 'Create role' }))
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
  expect(panel.requests(createRole).at(-1)?.body).toEqual({
    name: 'Support two',
    description: '',
    permissions: ['startServer'],
    scopes: [],
  })

  await user.click(screen.getByRole('button', { name: 'Delete Support' }))
  const question = await screen.findByRole('dialog')
  expect(within(question).getByText(/2 users lose what it gives/)).toBeDefined()
  await user.click(within(question).getByRole('button', { name: 'Delete role' }))
  await waitFor(() => expect(panel.requests(deleteRole)).toHaveLength(1))
})

test('a role is changed with what it had', async () => {
  const panel = createPanel()
  panel.respond(putRole, undefined)
  const { user } = await openApp('/user/roles', { as: admin, panel })

  await user.click(await screen.findByRole('button', { name: 'Edit Support' }))
  const dialog = await screen.findByRole('dialog', { name: 'Edit Support' })
  await user.type(within(dialog).getByRole('textbox', { name: 'Name' }), ' team')
  await user.click(within(dialog).getByRole('button', { name: 'Save' }))

  await waitFor(() => expect(panel.requests(putRole)).toHaveLength(1))
  const { id, users, ...rest } = support
  expect(panel.requests(putRole)[0]?.body).toEqual({ ...rest, name: 'Support team' })
})

test('a user gets a role on servers with a tag, and loses one; roles of other sources stay', async () => {
  const panel = createPanel()
  panel.respond(getUserRoles, {
    roles: [
      { role: 'r1', name: 'Support', source: 'manual' },
      { role: 'r3', name: 'From the provider', source: 'oidc:1', tag: 'event' },
    ],
  })
  panel.respond(putUserRoles, undefined)
  const { user } = await openApp('/user/2', { as: admin, panel })
  const list = await screen.findByRole('list', { name: 'Roles' })
  expect(within(list).getByText('on servers with the tag event')).toBeDefined()
  expect(within(list).queryByRole('button', { name: 'Remove From the provider' })).toBeNull()

  await user.click(screen.getByRole('button', { name: 'Give role' }))
  const dialog = await screen.findByRole('dialog', { name: 'Give role' })
  await user.selectOptions(within(dialog).getByRole('combobox', { name: 'Role' }), 'Support')
  await user.type(within(dialog).getByRole('textbox', { name: 'Only servers with this tag' }), 'arena')
  await user.click(within(dialog).getByRole('button', { name: 'Give role' }))
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
  await user.click(screen.getByRole('button', { name: 'Remove Support' }))

  await waitFor(() => expect(panel.requests(putUserRoles)).toHaveLength(2))
  expect(panel.requests(putUserRoles).map(({ body }) => body)).toEqual([
    { roles: [{ role: 'r1' }, { role: 'r1', tag: 'arena' }] },
    { roles: [] },
  ])
})

test('who may not edit users sees roles without buttons', async () => {
  const panel = createPanel()
  panel.respond(getUserRoles, { roles: [{ role: 'r1', name: 'Support', source: 'manual' }] })
  await openApp('/user/2', { as: ['users.view'], panel })

  expect(within(await screen.findByRole('list', { name: 'Roles' })).getByText('on all servers')).toBeDefined()
  expect(screen.queryByRole('button', { name: 'Give role' })).toBeNull()
  expect(screen.queryByRole('button', { name: 'Remove Support' })).toBeNull()
})
