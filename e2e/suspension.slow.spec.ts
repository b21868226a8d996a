import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { accessibilityViolations } from './testing/accessibility.ts'
import { Api } from './testing/api.ts'
import { expect, firstAdmin, test } from './testing/fixtures.ts'
import { controlsOutside, sidewaysScroll } from './testing/layout.ts'
import { wren } from './testing/second-user.ts'
import type { TestInstallation } from './testing/test-installation.ts'

const reason = 'The invoice of May is not paid. Write to billing@example.net.'
/** After this time, what users have open has ended. */
const soon = { timeout: 5_000 }

const permissions = [
  ...['viewServerConsole', 'viewServerStats', 'viewServerFiles', 'sftpServer', 'startServer', 'stopServer'],
  ...['viewServerBackups', 'createServerBackups'],
]

/** Starts a server with a backup, and a user of it. Returns its ID. */
async function startServer(admin: Api): Promise<string> {
  const run = { command: 'sh -c "echo world > level.dat; exec cat"', stopCode: 15 }
  const { id } = (await admin.post('/api/servers', { name: 'Lantern', type: 'game', run })) as { id: string }
  await admin.post(`/proxy/daemon/server/${id}/start?wait=true`)
  await admin.post(`/proxy/daemon/server/${id}/backup/create`, { name: 'before' })
  const backups = async () => await admin.get(`/proxy/daemon/server/${id}/backup`)
  await expect.poll(backups, { timeout: 60_000 }).toHaveLength(1)
  const { id: user } = (await admin.post('/api/users', wren)) as { id: number }
  await admin.post(`/api/users/${user}/email/confirm`)
  const granted = Object.fromEntries(permissions.map((permission) => [permission, true]))
  await admin.put(`/api/servers/${id}/user/${wren.email}`, granted)
  return id
}

/** Opens a session of SFTP as the user. Returns its process when it has answered. */
async function openSftp({ dataDir, sftpPort }: TestInstallation, id: string) {
  const askpass = join(dataDir, 'askpass')
  await writeFile(askpass, `#!/bin/sh\necho '${wren.password}'\n`, { mode: 0o700 })
  const settings = ['StrictHostKeyChecking=no', 'UserKnownHostsFile=/dev/null', `User=${wren.email}#${id}`]
  const options = [...settings, `Port=${sftpPort}`].flatMap((setting) => ['-o', setting])
  const client = spawn('sftp', [...options, '127.0.0.1'], {
    env: { PATH: '/usr/bin:/bin', HOME: dataDir, SSH_ASKPASS: askpass, SSH_ASKPASS_REQUIRE: 'force' },
  })
  client.stdin.on('error', () => {})
  client.stdin.write('pwd\n')
  let output = ''
  client.stderr.on('data', (data: Buffer) => {
    output += data
  })
  const [answer] = await Promise.race([once(client.stdout, 'data'), once(client, 'exit')])
  expect(String(answer), output).toContain('/')
  return client
}

test('a suspended customer sees why within seconds and keeps the backups, and goes on when it ends', async ({
  adminPage,
  installation,
  browser,
}) => {
  test.setTimeout(180_000)
  const admin = await Api.signIn(installation.url, firstAdmin)
  const id = await startServer(admin)
  const user = await Api.signIn(installation.url, wren)
  const context = await browser.newContext({ locale: 'en-US', viewport: { width: 1280, height: 900 } })
  await user.signInTo(context)
  const page = await context.newPage()
  await page.goto(`${installation.url}/server/${id}?tab=console`)
  await expect(page.getByRole('button', { name: 'Pause' })).toBeVisible()
  const sftp = await openSftp(installation, id)

  await adminPage.goto(`${installation.url}/server/${id}?tab=admin`)
  await adminPage.getByRole('button', { name: 'Suspend', exact: true }).click()
  const dialog = adminPage.getByRole('dialog', { name: 'Suspend Lantern?' })
  await dialog.getByRole('textbox', { name: 'Reason' }).fill(reason)
  expect(await accessibilityViolations(adminPage)).toEqual([])
  await dialog.getByRole('button', { name: 'Suspend', exact: true }).click()

  // The customer.
  await expect(page.getByText(reason)).toBeVisible(soon)
  const isSftpOpen = () => {
    // The client notices the end of its connection with the next command.
    sftp.stdin.write('ls\n')
    return sftp.exitCode === null && sftp.signalCode === null
  }
  await expect.poll(isSftpOpen, soon).toBe(false)
  await expect(page.getByText('Suspended', { exact: true }).first()).toBeVisible()
  await expect(page.getByRole('button', { name: 'Start', exact: true })).toBeHidden()
  await expect(page.getByRole('tab', { name: 'Files' })).toBeHidden()
  await expect(user.post(`/proxy/daemon/server/${id}/start`)).rejects.toThrow(/403 .*ErrServerSuspended/)
  expect(await accessibilityViolations(page)).toEqual([])
  await page.getByRole('button', { name: 'Backups', exact: true }).first().click()
  await expect(page.getByText('before')).toBeVisible()
  await expect(page.getByRole('button', { name: 'Create backup' })).toBeHidden()
  await page.getByRole('button', { name: /^More actions for before/ }).click()
  const downloading = page.waitForEvent('download')
  await page
    .getByRole('menuitem', { name: /Download/ })
    .first()
    .click()
  expect((await downloading).suggestedFilename()).toMatch(/^Lantern/)
  await page.setViewportSize({ width: 360, height: 740 })
  expect([await sidewaysScroll(page), await controlsOutside(page)]).toEqual([0, []])

  // It stays so after a restart.
  await adminPage.goto('about:blank')
  await page.goto('about:blank')
  await installation.stop('SIGINT')
  await installation.start()
  await expect(user.post(`/proxy/daemon/server/${id}/start`)).rejects.toThrow(/403 .*ErrServerSuspended/)

  // The host.
  await adminPage.goto(`${installation.url}/server?status=suspended`)
  await expect(adminPage.getByRole('radio', { name: /^Suspended ?1$/ })).toBeChecked()
  await adminPage.getByRole('link', { name: 'Lantern', exact: true }).click()
  await expect(adminPage.getByRole('button', { name: 'Start', exact: true })).toHaveAttribute('aria-disabled', 'true')
  await adminPage.getByRole('button', { name: 'End suspension' }).first().click()
  await expect(adminPage.getByText(reason, { exact: true })).toBeHidden()

  await page.setViewportSize({ width: 1280, height: 900 })
  await page.goto(`${installation.url}/server/${id}`)
  await page.getByRole('button', { name: 'Start', exact: true }).click()
  await expect(page.getByText('Online', { exact: true }).first()).toBeVisible()
})
