import { execFileSync } from 'node:child_process'
import { access, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from '@playwright/test'
import { test as base, createServer, expect } from './testing/fixtures.ts'

/** With a local folder that has a server of Paper. */
const test = base.extend<{ readonly localDir: string }>({
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the names of the fixtures that are used
  localDir: async ({}, use) => {
    const folder = await mkdtemp(join(tmpdir(), 'innkeeper-local-'))
    await mkdir(join(folder, 'Valley', 'config'), { recursive: true })
    await writeFile(join(folder, 'Valley', 'server.properties'), 'server-port=25590\nmotd=A quiet valley\n')
    await writeFile(join(folder, 'Valley', 'eula.txt'), 'eula=true\n')
    await writeFile(join(folder, 'Valley', 'config', 'paper-global.yml'), 'x: 1\n')
    await writeFile(join(folder, 'Valley', 'paper-1.21.4.jar'), 'a jar')
    execFileSync('zip', ['-qr', 'Valley.zip', 'Valley'], { cwd: folder })
    await use(folder)
    await rm(folder, { recursive: true, force: true })
  },
})

/** Goes through the wizard with the keyboard, and returns the ID of the server. */
async function create(page: Page): Promise<string> {
  await page.keyboard.press('Control+Enter')
  await expect(page.getByRole('heading', { name: 'Where should it run?' })).toBeVisible()
  await expect(page.getByRole('button', { name: 'Continue' })).toBeEnabled()
  await page.keyboard.press('Control+Enter')
  await expect(page.getByRole('textbox', { name: 'Name', exact: true })).toHaveValue('Valley')
  await expect(page.getByRole('textbox', { name: 'Message of the day' })).toHaveValue('A quiet valley')
  await page.keyboard.press('Control+Enter')
  await expect(page.getByText('Its files are uploaded when you create the server')).toBeVisible()
  await page.keyboard.press('Control+Enter')
  await expect(page.getByRole('heading', { name: 'Valley' })).toBeVisible()
  return /\/server\/([0-9a-f]{8})/.exec(page.url())?.[1] ?? ''
}

test('the folder of a Minecraft server becomes a server with its template, settings and files', async ({
  adminPage: page,
  installation,
  localDir,
}) => {
  await page.setViewportSize({ width: 360, height: 740 })
  await page.goto(`${installation.url}/addserver`)
  await expect(page.getByRole('button', { name: 'Select folder' })).toBeVisible()

  await page.getByLabel('Select a folder to upload').setInputFiles(join(localDir, 'Valley'))
  await expect(page.getByText('“Valley” is a Paper server.')).toBeVisible()
  const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)
  const id = await create(page)
  await expect(page.getByRole('region', { name: 'Uploads' }).getByText('4 uploaded')).toBeVisible()

  expect(overflow).toBeLessThanOrEqual(0)
  const servers = join(installation.dataDir, 'servers')
  expect(await readFile(join(servers, id, 'server.properties'), 'utf8')).toContain('server-port=25590')
  expect(await readFile(join(servers, id, 'paper-1.21.4.jar'), 'utf8')).toBe('a jar')
  const { run, install, data } = JSON.parse(await readFile(join(servers, `${id}.json`), 'utf8')) as {
    run: { command: string }
    install: { type: string }[]
    data: Record<string, { value: unknown }>
  }
  expect(run.command).toContain('-jar paper-1.21.4.jar nogui')
  expect(install.map(({ type }) => type)).toEqual(['javadl'])
  expect([data.port?.value, data.eula?.value]).toEqual([25590, true])
})

test('a zip is extracted into the folder of the server, without its own folder', async ({
  adminPage: page,
  installation,
  localDir,
}) => {
  await page.goto(`${installation.url}/addserver`)

  await page.getByLabel('Select files to upload').setInputFiles(join(localDir, 'Valley.zip'))
  await expect(page.getByText('“Valley.zip” is a Paper server.')).toBeVisible()
  const id = await create(page)
  await expect(page.getByRole('region', { name: 'Uploads' }).getByText('1 uploaded')).toBeVisible()

  const folder = join(installation.dataDir, 'servers', id)
  expect(await readFile(join(folder, 'config', 'paper-global.yml'), 'utf8')).toBe('x: 1\n')
  expect(await readFile(join(folder, 'paper-1.21.4.jar'), 'utf8')).toBe('a jar')
  for (const gone of ['Valley', 'Valley.zip', '.innkeeper-import'])
    await expect(access(join(folder, gone))).rejects.toThrow()
})

test('a folder without a server says so, and a reload asks for the files again', async ({
  adminPage: page,
  installation,
  localDir,
}) => {
  await page.goto(`${installation.url}/addserver`)

  await page.getByLabel('Select a folder to upload').setInputFiles(join(localDir, 'Valley', 'config'))
  await expect(page.getByText('No known Minecraft server was found in “config”.')).toBeVisible()
  await page.getByLabel('Select a folder to upload').setInputFiles(join(localDir, 'Valley'))
  await expect(page.getByText('“Valley” is a Paper server.')).toBeVisible()
  await page.reload()

  await expect(
    page.getByText('Select “Valley” again in the first step, otherwise its files are not uploaded.'),
  ).toBeVisible()
})

test('a zip that is uploaded to a server of another kind can become a server of its own', async ({
  adminPage: page,
  installation,
  localDir,
}) => {
  const other = await createServer(page, { template: 'generic-command', name: 'Lobby', variables: { command: 'true' } })
  await page.goto(`${installation.url}/server/${other}?tab=files`)
  await expect(page.getByText('This folder is empty.')).toBeVisible()
  await page.getByLabel('Select files to upload').setInputFiles(join(localDir, 'Valley.zip'))

  // It is recognized at its upload.
  const offer = page.getByText('“Valley.zip” is a Paper server, but “Lobby” uses another template.')
  await expect(offer).toBeVisible()
  await page.getByRole('link', { name: 'Add server' }).last().click()
  await expect(page.getByText('“Valley.zip” is a Paper server. Its files')).toBeVisible()
  const id = await create(page)
  const extracted = join(installation.dataDir, 'servers', id, 'config', 'paper-global.yml')
  await expect.poll(() => readFile(extracted, 'utf8').catch(() => '')).toBe('x: 1\n')

  // It is not offered again, also when the archive is extracted.
  await page.goto(`${installation.url}/server/${other}?tab=files`)
  await page.getByRole('button', { name: 'Extract Valley.zip' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Extract' }).click()
  await expect(page.getByRole('link', { name: 'Valley', exact: true })).toBeVisible()
  await expect(offer).toBeHidden()

  // In another browser it is.
  await page.evaluate(() => localStorage.removeItem('innkeeper.otherKinds'))
  await page.reload()
  await page.getByRole('button', { name: 'Extract Valley.zip' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Extract' }).click()
  await expect(offer).toBeVisible()
})
