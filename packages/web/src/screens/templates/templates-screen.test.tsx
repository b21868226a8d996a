import type { Template } from '@innkeeper/contract/definitions/definition'
import { listServers } from '@innkeeper/contract/servers/servers'
import {
  type CatalogEntry,
  getCatalogTemplate,
  importTemplate,
  listCatalog,
} from '@innkeeper/contract/templates/catalog'
import { getTemplate, listTemplates } from '@innkeeper/contract/templates/templates'
import { screen, waitFor, within } from '@testing-library/react'
import { expect, test } from 'vitest'
import { FakePanel } from '../../testing/fake-panel.ts'
import { openApp } from '../../testing/open-app.tsx'
import { aServer } from '../../testing/samples.ts'
// Loaded when they are first opened; here they are there already.
import './overwrite-dialog.tsx'
import '../../features/compare/compare-view.tsx'

const supportedEnvironments = [{ type: 'standard' }]
const templates = [
  { name: 'paper', display: 'Paper', type: 'minecraft-java', supportedEnvironments, servers: 0 },
  { name: 'chess', display: 'Chess', type: 'game', supportedEnvironments, servers: 2 },
  { name: 'go', display: 'Go', type: 'game', supportedEnvironments, servers: 0 },
  { name: 'box', display: 'Box', type: 'generic', supportedEnvironments: [{ type: 'docker' }], servers: 0 },
]
const entry = { type: 'game', supportedEnvironments, warnings: [], source: 'bundled' as const }
const entries: CatalogEntry[] = [
  { ...entry, name: 'paper', display: 'Paper', state: 'same' },
  { ...entry, name: 'chess', display: 'Chess', state: 'changed' },
  { ...entry, name: 'go', display: 'Go', state: 'edited', source: 'index' },
]
const chess = { type: 'game', name: 'chess', data: {}, run: { command: 'old' }, supportedEnvironments }

function aPanel(): FakePanel {
  const panel = new FakePanel()
  panel.respond(listTemplates, templates)
  panel.respond(listCatalog, { entries, problems: [] })
  panel.respond(getTemplate, chess as unknown as Template)
  panel.respond(getCatalogTemplate, { ...chess, run: { command: 'new' } } as unknown as Template)
  panel.respond(importTemplate, undefined)
  return panel
}

const rows = () => screen.getAllByRole('row').map(({ textContent }) => textContent)

test('templates are a table by family, with their use and what differs from the official version', async () => {
  await openApp('/template', { as: ['templates.view', 'templates.edit'], panel: aPanel() })

  await screen.findByText('Source')
  expect(rows()).toEqual([
    'NameUsed bySource',
    'Games',
    'CHChesschess2 serversBuilt-inUpdate available',
    'GOGogoNot usedFrom the indexModified',
    'Minecraft',
    'PaperpaperNot usedBuilt-in',
    'Other',
    'BoxboxDockerNot usedCreated here',
  ])
  const findColor = (initials: string) => screen.getByText(initials).parentElement?.style.filter
  expect(findColor('CH')).not.toBe(findColor('GO'))
})

test('the list can be narrowed to templates in use and to those with an update', async () => {
  const { user } = await openApp('/template', { as: ['templates.view', 'templates.edit'], panel: aPanel() })

  await user.click(await screen.findByRole('radio', { name: 'Updates 1' }))
  expect(screen.getAllByRole('link', { name: /Chess|Go|Paper|Box/ }).map(({ textContent }) => textContent)).toEqual([
    'Chess',
  ])
  await user.click(screen.getByRole('radio', { name: 'In use 1' }))
  expect(screen.getAllByRole('row')).toHaveLength(3)
})

test('the servers that were made from a template are a menu of links', async () => {
  const panel = aPanel()
  const paging = { page: 1, pageSize: 50, maxSize: 100, total: 3 }
  panel.respond(listServers, { servers: [aServer('0a1b2c3d', 'Lobby')], paging })
  const { user, path } = await openApp('/template', { as: ['templates.view'], panel })

  await user.click(await screen.findByRole('button', { name: '2 servers' }))
  const menu = within(await screen.findByRole('menu'))
  await user.click(await menu.findByRole('menuitem', { name: 'Lobby' }))

  expect(panel.requests(listServers).some(({ query }) => query.get('template') === 'chess')).toBe(true)
  await waitFor(() => expect(path()).toBe('/server/0a1b2c3d'))
})

test('an update is compared with the installed version before it replaces it', async () => {
  const panel = aPanel()
  const { user } = await openApp('/template', { as: ['templates.view', 'templates.edit'], panel })

  await user.click(await screen.findByRole('button', { name: 'See changes in Chess' }))
  await user.click(await screen.findByRole('button', { name: 'Overwrite' }))

  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
  expect(panel.requests(importTemplate).map(({ path }) => path)).toEqual(['/api/templates/import/chess'])
})

test('without the permission to edit, the list does not ask for the catalog', async () => {
  const panel = aPanel()
  await openApp('/template', { as: ['templates.view'], panel })

  await screen.findByRole('link', { name: 'Chess' })
  expect(screen.queryByText('Source')).toBeNull()
  expect(panel.requests(listCatalog)).toEqual([])
})
