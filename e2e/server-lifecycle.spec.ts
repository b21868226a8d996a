import { once } from 'node:events'
import { createServer } from 'node:net'
import { addServer, expect, firstAdmin, setUp, test } from './testing/fixtures.ts'

async function freePort(): Promise<number> {
  const server = createServer().listen(0)
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  server.close()
  return port
}

test('an administrator sets up Innkeeper, and creates, installs, starts, uses, restarts, stops and deletes a game server', async ({
  page,
  installation,
}) => {
  const port = String(await freePort())
  await setUp(page, installation)
  await expect(page.getByText('No servers yet')).toBeVisible()

  await test.step('create from the bundled template', async () => {
    await addServer(page, { template: 'OpenTTD', name: 'Night Trains', settings: { Port: port } })
  })

  const power = page.getByRole('main')
  const status = page.getByRole('banner').or(page.getByRole('main'))
  const output = page.getByRole('log')
  const command = page.getByRole('textbox', { name: 'Command' })

  await test.step('it is installed and started at once: read the console', async () => {
    await expect(status.getByText('Online', { exact: true }).first()).toBeVisible()
    await expect(output).toContainText('The game is running, players can join')
  })

  await test.step('send a command and see the response of the game', async () => {
    await command.fill('server_info')
    await command.press('Enter')
    await expect(output).toContainText(/Current.maximum (clients|companies)/)
  })

  await test.step('view CPU and memory', async () => {
    await page.getByRole('tab', { name: 'Stats' }).click()
    await expect(page.getByText(/[1-9]\d*\.\d\d MiB/).first()).toBeVisible()
  })

  await test.step('change a variable', async () => {
    await page.getByRole('tab', { name: 'Settings' }).click()
    await page.getByLabel('Server name').fill('Midnight Express')
    await page.getByRole('button', { name: 'Save' }).click()
    await expect(page.getByText('Saved', { exact: true })).toBeVisible()
  })

  await test.step('restart with the new value', async () => {
    await page.getByRole('tab', { name: 'Console' }).click()
    await power.getByRole('button', { name: 'Restart', exact: true }).click()
    await expect(output).toContainText('Server exited with code 0')
    await expect(status.getByText('Online', { exact: true }).first()).toBeVisible()
    await command.fill('setting server_name')
    await command.press('Enter')
    await expect(output).toContainText('Midnight Express')
  })

  await test.step('stop', async () => {
    await power.getByRole('button', { name: 'Stop' }).click()
    await expect(status.getByText('Offline', { exact: true }).first()).toBeVisible()
  })

  await test.step('delete', async () => {
    await page.getByRole('tab', { name: 'Admin' }).click()
    await page.getByRole('button', { name: 'Delete' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('textbox').fill('Night Trains')
    await dialog.getByRole('button', { name: 'Delete server' }).click()
    await expect(page.getByText('Deleted Server')).toBeVisible()
    await expect(page.getByText('No servers yet')).toBeVisible()
  })

  await test.step('sign out and in again', async () => {
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByLabel('Email').fill(firstAdmin.email)
    await page.getByLabel('Password', { exact: true }).fill('not this one')
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await expect(page.getByText('Invalid credentials')).toBeVisible()
    await page.getByLabel('Password', { exact: true }).fill(firstAdmin.password)
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await expect(page.getByRole('heading', { name: 'Servers', level: 1 })).toBeVisible()
  })
})
