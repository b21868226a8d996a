import { accessibilityViolations } from './testing/accessibility.ts'
import { Api } from './testing/api.ts'
import { expect, firstAdmin, test } from './testing/fixtures.ts'
import { SecondNode } from './testing/second-node.ts'

const definition = (name: string, limits = {}) => ({
  type: 'test',
  name,
  data: {},
  run: { command: 'cat' },
  environment: { type: 'standard', limits },
  node: 0,
})

test('a node is evacuated with the keyboard, and says which server stays and why', async ({
  adminPage: page,
  installation,
}) => {
  test.setTimeout(240_000)
  const api = await Api.signIn(installation.url, firstAdmin)
  await using _node = await SecondNode.join(api, 'the-machine-in-the-attic-behind-old-boxes')
  const labels = { labels: ['attic'], memoryFactor: 10, diskFactor: 1 }
  const nodes = (await api.get('/api/nodes')) as { id: number; isLocal: boolean }[]
  const target = nodes.find(({ isLocal }) => !isLocal)
  await api.put(`/api/nodes/${target?.id}/placement`, labels)
  await api.post('/api/servers', definition('lobby-of-the-inn-with-a-very-long-name-40'))
  await api.post('/api/servers', definition('archive', { disk: 1_000_000_000 }))
  await page.setViewportSize({ width: 360, height: 740 })
  await page.goto(`${installation.url}/node/0`)

  await page.getByRole('button', { name: 'Evacuate' }).press('Enter')
  const dialog = page.getByRole('dialog', { name: /^Evacuate/ })
  const labelInput = dialog.getByRole('combobox', { name: 'Only to nodes with these labels' })
  await labelInput.fill('attic')
  await labelInput.press('Enter')
  await dialog.getByRole('combobox', { name: 'Order' }).selectOption('By name')
  await expect(dialog.getByText('1 of 2 servers can be moved.', { exact: false })).toBeVisible({ timeout: 60_000 })
  await expect(dialog.getByText(/There is no room: .* free disk space/)).toBeVisible()
  expect(await accessibilityViolations(page)).toEqual([])
  await dialog.getByRole('button', { name: 'Evacuate' }).press('Enter')

  const card = page.getByRole('region', { name: 'Evacuate' })
  await expect(card.getByText(/^1 of 2 servers were moved/)).toBeVisible({ timeout: 120_000 })
  await expect(card.getByText('Moved to the-machine-in-the-attic-behind-old-boxes')).toBeVisible()
  await expect(card.getByText(/There is no room: .* free disk space/)).toBeVisible()
  expect(await accessibilityViolations(page)).toEqual([])
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360)
})
