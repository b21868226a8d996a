import { listUsers } from '@innkeeper/contract/accounts/users'
import { screen, waitFor } from '@testing-library/react'
import { useState } from 'react'
import { expect, test } from 'vitest'
import { FakePanel } from '../../testing/fake-panel.ts'
import { openPart } from '../../testing/open-part.tsx'
import { UserPicker } from './user-picker.tsx'

const allUsers = ['mara', 'orrin', 'wren'].map((username, id) => ({ id, username, email: `${username}@inn.example` }))

function Picker({ maxUsers = 10 }: { maxUsers?: number }) {
  const [value, setValue] = useState<readonly string[]>([])
  return (
    <>
      <UserPicker
        label="Users"
        description=""
        error={undefined}
        exclude="mara"
        maxUsers={maxUsers}
        value={value}
        onChange={setValue}
      />
      <output>{value.join()}</output>
    </>
  )
}

function aPanel(): FakePanel {
  const panel = new FakePanel()
  panel.respond(listUsers, ({ query }) => {
    const text = (query.get('username') ?? '').replaceAll('*', '')
    const users = allUsers.filter(({ username, email }) => username.includes(text) || email.includes(text))
    return { users, paging: { page: 1, pageSize: 10, maxSize: 100, total: users.length } }
  })
  return panel
}

const selected = () => screen.getByRole('status').textContent
const field = () => screen.getByRole('combobox', { name: 'Users' })

test('a user is found by part of the email, selected with Enter, and removed with the keyboard', async () => {
  const { user } = await openPart(<Picker />, { as: ['users.view'], panel: aPanel() })

  await user.type(field(), 'wren@inn')
  await screen.findByRole('option', { name: /wren/ })
  await user.keyboard('{Enter}')
  expect(selected()).toBe('wren')

  screen.getByRole('button', { name: 'Remove wren' }).focus()
  await user.keyboard('{Enter}')
  expect(selected()).toBe('')
})

test('the excluded user is not offered', async () => {
  const { user } = await openPart(<Picker />, { as: ['users.view'], panel: aPanel() })

  await user.type(field(), 'inn.example')

  await screen.findByRole('option', { name: /orrin/ })
  expect(screen.queryByRole('option', { name: /mara/ })).toBeNull()
})

test('without permission to see users the usernames are entered, and nothing is searched', async () => {
  const panel = aPanel()
  const { user } = await openPart(<Picker />, { as: ['servers.create'], panel })

  await user.type(field(), 'orrin, wren;wren')
  await user.tab()

  expect(selected()).toBe('orrin,wren')
  expect(panel.requests(listUsers)).toEqual([])
})

test('no more users than the limit are added', async () => {
  const { user } = await openPart(<Picker maxUsers={2} />, { as: ['servers.create'], panel: aPanel() })

  await user.type(field(), 'orrin,wren,elm,')

  await waitFor(() => expect(selected()).toBe('orrin,wren'))
})
