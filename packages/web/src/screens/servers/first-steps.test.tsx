import { listUsers } from '@innkeeper/contract/accounts/users'
import { Refusal } from '@innkeeper/contract/errors/refusals'
import { listNodes, type Node } from '@innkeeper/contract/nodes/nodes'
import { getConfig, getUserSettings, putUserSetting } from '@innkeeper/contract/settings/panel'
import { getLastBackup } from '@innkeeper/contract/settings/settings'
import { screen, waitFor, within } from '@testing-library/react'
import { expect, test } from 'vitest'
import { FakePanel } from '../../testing/fake-panel.ts'
import { openApp } from '../../testing/open-app.tsx'
import { aConfig } from '../../testing/samples.ts'

interface PanelOptions {
  readonly hasMail?: boolean
  readonly admins?: number
  readonly hasNode?: boolean
  readonly lastBackupAt?: string
  readonly stored?: object
}

function createPanel({
  hasMail = false,
  admins = 1,
  hasNode = false,
  lastBackupAt,
  stored,
}: PanelOptions = {}): FakePanel {
  const panel = new FakePanel()
  panel.respond(getLastBackup, lastBackupAt === undefined ? {} : { lastBackupAt })
  panel.respond(getConfig, aConfig({ passwordResetEnabled: hasMail }))
  panel.respond(listUsers, ({ query }) => {
    const total = query.get('access') === 'admin' ? admins : 50
    return { users: [], paging: { page: 1, pageSize: 10, maxSize: 100, total } }
  })
  panel.respond(listNodes, hasNode ? [onlineNode] : [])
  if (stored)
    panel.respond(getUserSettings, [
      { key: 'firstSteps', value: JSON.stringify(stored) },
      { key: 'seenVersion', value: '0.1.0' },
    ])
  return panel
}

const onlineNode: Node = {
  id: 0,
  name: 'LocalNode',
  publicHost: 'panel.example.net',
  privateHost: '127.0.0.1',
  publicPort: 8080,
  privatePort: 5656,
  sftpPort: 5657,
  isLocal: true,
  health: { state: 'online', problems: [] },
}

const steps = async () => {
  const section = await screen.findByRole('region', { name: 'First steps' })
  return within(section)
    .getAllByRole('listitem')
    .map((row) => [row.getAttribute('aria-label'), within(row).getAllByRole('img')[0]?.getAttribute('aria-label')])
}

test('the first steps of an administrator show what the panel already has', async () => {
  await openApp('/server', { as: ['servers.admin'], panel: createPanel({ hasMail: true, hasNode: true }) })

  expect(await steps()).toEqual([
    ['Set up email', 'Done'],
    ['Add a second administrator', 'Not done yet'],
    ['Connect a node', 'Done'],
    ['Back up Innkeeper', 'Not done yet'],
  ])
  const docs = screen.getByRole('link', { name: 'How to back up and restore' })
  expect(docs.getAttribute('href')).toBe('/docs/backup')
})

test('a backup of the panel is a step that is done', async () => {
  const panel = createPanel({ lastBackupAt: '2026-11-21T03:00:00Z' })

  await openApp('/server', { as: ['servers.admin'], panel })

  expect((await steps())[3]).toEqual(['Back up Innkeeper', 'Done'])
  expect(screen.queryByRole('button', { name: 'Mark as done' })).toBeNull()
})

test('a backup that was marked as done is remembered for the user', async () => {
  const panel = createPanel()
  const { user } = await openApp('/server', { as: ['servers.admin'], panel })

  await user.click(await screen.findByRole('button', { name: 'Mark as done' }))

  await waitFor(async () => expect((await steps())[3]).toEqual(['Back up Innkeeper', 'Done']))
  expect(panel.requests(putUserSetting)[0]).toMatchObject({
    path: '/api/userSettings/firstSteps',
    body: { value: '{"isHidden":false,"hasBackup":true}' },
  })
})

test('hidden first steps stay hidden', async () => {
  const panel = createPanel()
  const { user } = await openApp('/server', { as: ['servers.admin'], panel })

  await user.click(await screen.findByRole('button', { name: 'Hide' }))

  await waitFor(() => expect(screen.queryByRole('region', { name: 'First steps' })).toBeNull())
  expect(panel.requests(putUserSetting)[0]?.body).toEqual({ value: '{"isHidden":true,"hasBackup":false}' })
})

test.each([
  ['everything is done', { hasMail: true, admins: 2, hasNode: true, stored: { hasBackup: true } }],
  ['the user hid them', { stored: { isHidden: true } }],
])('there are no first steps when %s', async (_, options) => {
  await openApp('/server', { as: ['servers.admin'], panel: createPanel(options) })

  await screen.findByText('No servers yet')
  expect(screen.queryByRole('region', { name: 'First steps' })).toBeNull()
})

test('users who are not administrators see no first steps', async () => {
  const panel = createPanel()
  await openApp('/server', { as: ['servers.view', 'servers.create'], panel })

  await screen.findByText('No servers yet')
  expect(panel.requests(listUsers)).toEqual([])
})

test('a step whose state could not be loaded is left out', async () => {
  const panel = createPanel()
  panel.respond(listNodes, new Refusal('ErrUnknownError'))
  panel.respond(getLastBackup, new Refusal('ErrUnknownError'))

  await openApp('/server', { as: ['servers.admin'], panel })

  expect(await steps()).toEqual([
    ['Set up email', 'Not done yet'],
    ['Add a second administrator', 'Not done yet'],
  ])
  screen.getByText('0 of 2 done')
})
