import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { Page } from '@playwright/test'
import { Api } from './testing/api.ts'
import { expect, firstAdmin, test } from './testing/fixtures.ts'
import type { TestInstallation } from './testing/test-installation.ts'

const serverCount = 1_000
/** Servers that the node has too, and that can be installed. They have the tag `batch`. */
const batchCount = 10
const regions = ['EU', 'US', 'Asia'] as const

interface Created {
  readonly id: string
  readonly name: string
}

const getName = (number: number) => `Server ${String(number).padStart(4, '0')}`
const getTags = (number: number) => [
  regions[number % regions.length] ?? 'EU',
  ...(number <= batchCount ? ['batch'] : []),
]

/** Creates some servers through the API, and copies of them directly in the database, which is fast. */
async function createServers(api: Api, { dataDir }: TestInstallation): Promise<void> {
  for (let number = 1; number <= batchCount; number++) {
    const { id } = (await api.post('/api/servers', {
      name: getName(number),
      type: 'generic',
      environment: { type: 'standard' },
      run: { command: 'sleep 600', stopCode: 15 },
    })) as Created
    await api.put(`/api/servers/${id}/tags`, { tags: getTags(number) })
  }
  using database = new DatabaseSync(join(dataDir, 'panel.db'), { timeout: 10_000 })
  const row = database.prepare('select * from servers limit 1').get() ?? {}
  const columns = Object.keys(row)
  const places = columns.map((column) => `:${column}`).join(', ')
  const addServer = database.prepare(`insert into servers (${columns.join(', ')}) values (${places})`)
  const addTag = database.prepare('insert into server_tags (server_id, tag_key, tag) values (?, ?, ?)')
  database.exec('begin immediate')
  for (let number = batchCount + 1; number <= serverCount; number++) {
    const id = `f000${String(number).padStart(4, '0')}`
    const name = getName(number)
    addServer.run({ ...row, id, name, name_key: name.toLowerCase(), name_sort: name.toLowerCase() })
    for (const tag of getTags(number)) addTag.run(id, tag.toLowerCase(), tag)
  }
  database.exec('commit')
}

async function deleteServer(api: Api, name: string): Promise<void> {
  const { servers } = (await api.get(`/api/servers?name=${encodeURIComponent(name)}`)) as {
    servers: readonly Created[]
  }
  await api.delete(`/api/servers/${servers[0]?.id}`)
}

const rowNames = (page: Page) => page.locator('tbody a[data-row]')
const header = (page: Page, name: string) => page.getByRole('columnheader', { name })

test('1,000 servers can be sorted, filtered by tags, scrolled, and changed in bulk', async ({
  adminPage: page,
  installation,
}) => {
  test.setTimeout(240_000)
  const api = await Api.signIn(installation.url, firstAdmin)
  await createServers(api, installation)

  await test.step('sort by columns, including tags', async () => {
    await page.goto(`${installation.url}/server`)
    await expect(rowNames(page)).toHaveCount(10)
    await header(page, 'Name').getByRole('button', { name: 'Name' }).click()
    await expect(rowNames(page).first()).toHaveText('Server 1000')
    await expect(header(page, 'Name')).toHaveAttribute('aria-sort', 'descending')
    await page.getByRole('button', { name: 'Tags', exact: true }).click()
    await expect(header(page, 'Tags')).toHaveAttribute('aria-sort', 'ascending')
    await expect(page.locator('tbody tr').first()).toContainText('Asia')
    expect(new URL(page.url()).searchParams.get('sort')).toBe('tags')
  })

  await test.step('filter by tags, and save the filter for every browser', async () => {
    await page.getByRole('combobox', { name: 'Filter by tags' }).click()
    await page.getByRole('option', { name: /^batch/ }).click()
    await page.keyboard.press('Escape')
    await expect(page.getByText('1–10 of 10')).toBeVisible()
    await page.getByRole('button', { name: 'Saved filters' }).click()
    await page.getByRole('menuitem', { name: 'Save this filter' }).click()
    await page.getByRole('textbox', { name: 'Name' }).fill('Batch by tags')
    await page.keyboard.press('Enter')
    await expect(page.getByRole('button', { name: 'Batch by tags' })).toBeVisible()
    const settings = (await api.get('/api/userSettings')) as readonly { key: string; value: string }[]
    expect(settings.find(({ key }) => key === 'serverFilters')?.value).toContain('Batch by tags')
  })

  await test.step('install the filtered servers after confirming their number', async () => {
    await page.goto(`${installation.url}/server`)
    await page.getByRole('button', { name: 'Saved filters' }).click()
    await page.getByRole('menuitem', { name: 'Batch by tags' }).click()
    await expect(rowNames(page)).toHaveCount(10)
    await page.getByRole('checkbox', { name: 'Select all on this page' }).check()
    await page.getByRole('button', { name: 'Install', exact: true }).click()
    const install = page.getByRole('button', { name: 'Install 10 servers' })
    await expect(install).toBeDisabled()
    await page.getByLabel('Type 10 to confirm').fill('10')
    await install.click()
    await expect(page.getByText('Installing servers: 10 of 10')).toBeVisible()
    await expect(page.getByRole('toolbar')).toBeHidden()
  })

  await test.step('scroll through all of them', async () => {
    await page.goto(`${installation.url}/server?limit=all`)
    await expect(rowNames(page).first()).toHaveText('Server 0001')
    const steps = await scrollToEnd(page)
    await expect(page.getByRole('link', { name: getName(serverCount), exact: true })).toBeInViewport()
    const rows = await page.locator('tbody tr').count()
    // Half a window has about 8 rows: with fewer steps the list would have scrolled by itself.
    expect(steps).toBeGreaterThan(100)
    expect(rows).toBeLessThan(60)
  })

  await test.step('change the tags of all servers; deleted ones fail', async () => {
    await page.getByRole('checkbox', { name: 'Select all matching servers' }).click()
    await expect(page.getByRole('status').filter({ hasText: '1,000 servers selected' })).toBeVisible()
    for (const number of [4, 7]) await deleteServer(api, getName(number))
    await page.getByRole('button', { name: 'Edit tags' }).click()
    await page.getByRole('combobox', { name: 'Add tags' }).fill('2026')
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Edit tags of 1,000 servers' }).click()
    const results = page.getByRole('region', { name: 'Result of each server' })
    await expect(results).toBeVisible({ timeout: 120_000 })
    await expect(page.getByText('Tags edited on servers: 998 of 1,000')).toBeVisible()
    await expect(results.locator('[data-result="failed"]')).toHaveText([/^Server 0004/, /^Server 0007/])
    await page.getByRole('button', { name: 'Try 2 servers again' }).click()
    await expect(results.locator('[data-result="failed"]')).toHaveCount(2)
    await page.getByRole('button', { name: 'Close' }).last().click()
    await expect(page.getByRole('toolbar')).toBeHidden()
  })
})

/** Scrolls the list to its end, half a window in each frame. Returns the number of steps. */
async function scrollToEnd(page: Page): Promise<number> {
  return await page.evaluate(async () => {
    const content = document.getElementById('content')
    if (!content) throw new Error('no content')
    let steps = 0
    while (content.scrollTop + content.clientHeight < content.scrollHeight - 1) {
      content.scrollTop += content.clientHeight / 2
      await new Promise(requestAnimationFrame)
      steps++
    }
    return steps
  })
}
