import { readFile } from 'node:fs/promises'
import type { Page } from '@playwright/test'
import { createServer, expect, test } from './testing/fixtures.ts'

/** A server that answers each line it reads, and counts what it prints. */
const answering = 'while read -r line; do echo "heard $line"; done'

test('after a crash of the daemon its server still runs, and the console has no gap or duplicate', async ({
  adminPage: page,
  installation,
  allowPageErrors,
}) => {
  allowPageErrors(/ERR_CONNECTION_REFUSED|WebSocket connection/)
  const counting = 'i=0; while :; do i=$((i+1)); echo "number $i"; sleep 0.05; done'
  const id = await createServer(page, {
    template: 'generic-command',
    name: 'Counter',
    variables: { command: counting },
  })
  await page.goto(`${installation.url}/server/${id}`)
  const output = page.getByRole('log')
  await page.getByRole('button', { name: 'Start' }).click()
  await expect(output).toContainText('number 10')

  await installation.stop('SIGKILL')
  await installation.start()
  await expect(page.getByText('Live', { exact: true })).toBeVisible({ timeout: 30_000 })

  await page.getByRole('button', { name: 'Kill' }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Kill' }).click()
  await expect(output).toContainText('Server was ended by signal SIGKILL')
  const log = await downloadedLog(page)
  expect(log).toContain('Daemon was restarted, the server continued to run')
  const numbers = [...log.matchAll(/number (\d+)\b/g)].map(([, number]) => Number(number))
  expect(numbers.length).toBeGreaterThan(20)
  expect(numbers).toEqual(numbers.map((_, index) => (numbers[0] ?? 0) + index))
})

test('a double click starts one process, and a second tab shows it', async ({
  adminPage: page,
  context,
  installation,
}) => {
  const id = await createServer(page, { template: 'generic-command', name: 'Echo', variables: { command: answering } })
  await page.goto(`${installation.url}/server/${id}`)
  const second = await context.newPage()
  await second.goto(`${installation.url}/server/${id}`)
  await expect(second.getByText('Offline').first()).toBeVisible()

  await page.getByRole('button', { name: 'Start' }).dblclick()

  await expect(second.getByText('Online').first()).toBeVisible()
  await second.getByRole('textbox', { name: 'Command' }).fill('hello from the second tab')
  await second.keyboard.press('Enter')
  await expect(page.getByRole('log')).toContainText('heard hello from the second tab')
  expect(await page.getByRole('log').getByText('Starting process').count()).toBe(1)
})

/** The console's lines as the page has them. */
async function downloadedLog(page: Page): Promise<string> {
  const download = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Download log' }).click()
  return readFile(await (await download).path(), 'utf8')
}
