import type { Page } from '@playwright/test'
import { accessibilityViolations } from './testing/accessibility.ts'
import { createServer, expect, firstAdmin, test } from './testing/fixtures.ts'
import { sidewaysScroll } from './testing/layout.ts'

const sizes = {
  desktop: { width: 1440, height: 900 },
  phone: { width: 390, height: 844 },
  narrow: { width: 360, height: 740 },
} as const

/** The text of each screen that counts it as shown. */
function screens(id: string): readonly { name: string; path: string; shows: string }[] {
  return [
    { name: 'servers', path: '/server', shows: 'Lobby' },
    { name: 'console', path: `/server/${id}?tab=console`, shows: 'Server exited with code 0' },
    { name: 'stats', path: `/server/${id}?tab=stats`, shows: 'Peak' },
    { name: 'files', path: `/server/${id}?tab=files`, shows: 'This folder is empty.' },
    { name: 'tasks', path: `/server/${id}?tab=tasks`, shows: 'No tasks yet.' },
    { name: 'settings', path: `/server/${id}?tab=settings`, shows: 'Server settings' },
    { name: 'admin', path: `/server/${id}?tab=admin`, shows: 'Start and recovery' },
    { name: 'server-users', path: `/server/${id}?tab=users`, shows: 'Add' },
    { name: 'users', path: '/user', shows: firstAdmin.email },
    { name: 'roles', path: '/user/roles', shows: 'Create role' },
    { name: 'add-user', path: '/adduser', shows: 'Password' },
    { name: 'settings-of-panel', path: '/settings', shows: 'Company name' },
    { name: 'activity', path: '/activity', shows: firstAdmin.username },
    { name: 'add-server', path: '/addserver', shows: 'OpenTTD' },
    { name: 'nodes', path: '/node', shows: 'LocalNode' },
    { name: 'node', path: '/node/0', shows: 'Each server has its own system user' },
    { name: 'add-node', path: '/addnode', shows: 'Public host' },
    { name: 'templates', path: '/template', shows: 'OpenTTD' },
    { name: 'template', path: '/template/openttd', shows: 'Add variable' },
    { name: 'add-template', path: '/addtemplate', shows: 'Start from' },
    { name: 'import-templates', path: '/importtemplates', shows: 'OpenTTD' },
    { name: 'account', path: '/account', shows: 'Sessions' },
    { name: 'not-found', path: '/errors/404', shows: 'This page does not exist' },
  ]
}

test.describe.configure({ mode: 'parallel' })

for (const scheme of ['dark', 'light'] as const) {
  test(`every screen fits on desktop and phone and passes axe: ${scheme}`, async ({
    adminPage: page,
    installation,
  }, info) => {
    test.setTimeout(420_000)
    const id = await createServer(page, {
      template: 'generic-command',
      name: 'Lobby',
      variables: { command: 'printf \\x1b[32mgreen\\x1b[0m' },
    })
    await page.goto(`${installation.url}/server/${id}`)
    await page.getByRole('button', { name: 'Start' }).click()
    await expect(page.getByRole('log')).toContainText('Server exited with code 0')

    await page.emulateMedia({ colorScheme: scheme, reducedMotion: 'reduce' })
    for (const { name, path, shows } of screens(id)) {
      await page.setViewportSize(sizes.desktop)
      await page.goto(installation.url + path)
      await expect(page.getByText(shows).filter({ visible: true }).first()).toBeVisible()
      await look(page, info.outputPath(`${name}-${scheme}-desktop.png`))
      await page.setViewportSize(sizes.phone)
      await expect(page.getByText(shows).filter({ visible: true }).first()).toBeVisible()
      await look(page, info.outputPath(`${name}-${scheme}-phone.png`))
      await page.setViewportSize(sizes.narrow)
      // What has scrolled out of sight must have its name too.
      await scrollToEnd(page)
      await look(page, info.outputPath(`${name}-${scheme}-narrow-end.png`))
      expect(await sidewaysScroll(page), `${name} at 360 px scrolls sideways`).toBe(0)
    }
  })
}

/** Takes a picture and checks the page with axe. */
async function look(page: Page, path: string): Promise<void> {
  await page.screenshot({ path })
  expect(await accessibilityViolations(page), path).toEqual([])
}

function scrollToEnd(page: Page): Promise<void> {
  return page.evaluate(
    'for (const part of document.querySelectorAll("*")) if (part.scrollHeight > part.clientHeight) part.scrollTop = part.scrollHeight',
  )
}
