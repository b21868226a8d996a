import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from '@playwright/test'
import { test as base, createServer, expect } from './testing/fixtures.ts'

/** With a local folder to upload from. */
const test = base.extend<{ readonly localDir: string }>({
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the names of the fixtures that are used
  localDir: async ({}, use) => {
    const folder = await mkdtemp(join(tmpdir(), 'innkeeper-local-'))
    await use(folder)
    await rm(folder, { recursive: true, force: true })
  },
})

const chunkBytes = 32 * 1024 ** 2

test('an upload that is interrupted three times arrives unchanged', async ({
  adminPage: page,
  installation,
  localDir,
  allowPageErrors,
}) => {
  // Messages of the browser about lost connections.
  allowPageErrors(/ERR_|WebSocket/)
  const id = await createServer(page, { template: 'generic-command', name: 'Lobby', variables: { command: 'true' } })
  const world = join(localDir, 'world.zip')
  await writeFile(world, Buffer.alloc(3 * chunkBytes + 12_345, 'neither zeros nor one and the same letter '))
  const queue = page.getByRole('region', { name: 'Uploads' })
  const percent = async () => Number(/(\d+)%/.exec((await queue.textContent()) ?? '')?.[1] ?? 0)
  await page.goto(`${installation.url}/server/${id}?tab=files`)
  const network = await emulateNetwork(page)
  await network({ offline: false })

  // Interrupt the network.
  await page.getByLabel('Select files to upload').setInputFiles(world)
  await expect.poll(percent, { message: 'the first chunk is complete' }).toBeGreaterThan(36)
  await network({ offline: true })
  await expect(queue.getByText('Waiting for connection')).toBeVisible()
  await network({ offline: false })
  await expect.poll(percent, { message: 'the upload continues' }).toBeGreaterThan(45)

  // Kill and restart Innkeeper.
  await installation.stop('SIGKILL')
  await expect(queue.getByText('Waiting for connection')).toBeVisible()
  await installation.start()
  await expect.poll(percent, { message: 'the upload continues again', timeout: 40_000 }).toBeGreaterThan(70)

  // Reload the page and confirm the question of the browser.
  page.once('dialog', (dialog) => void dialog.accept())
  await page.reload()
  await expect(page.getByText('1 upload was interrupted')).toBeVisible()
  await page.getByLabel('Select world.zip again to resume').setInputFiles(world)
  await expect(queue.getByText('1 uploaded')).toBeVisible({ timeout: 40_000 })

  expect(await getSha256(join(installation.dataDir, 'servers', id, 'world.zip'))).toBe(await getSha256(world))
})

test('a folder is uploaded with its subfolders, and name conflicts are resolved by the user', async ({
  adminPage: page,
  installation,
  localDir,
}) => {
  const id = await createServer(page, { template: 'generic-command', name: 'Lobby', variables: { command: 'true' } })
  await mkdir(join(localDir, 'textures', 'block'), { recursive: true })
  await writeFile(join(localDir, 'textures', 'pack.mcmeta'), '{}')
  await writeFile(join(localDir, 'textures', 'block', 'stone.txt'), 'grey')
  const queue = page.getByRole('region', { name: 'Uploads' })
  const onDisk = (...path: string[]) => readFile(join(installation.dataDir, 'servers', id, ...path), 'utf8')
  await page.goto(`${installation.url}/server/${id}?tab=files`)

  await page.getByLabel('Select a folder to upload').setInputFiles(join(localDir, 'textures'))
  await expect(queue.getByText('2 uploaded')).toBeVisible()
  await expect(page.getByRole('grid', { name: 'Files' }).getByText('textures')).toBeVisible()
  expect(await onDisk('textures', 'block', 'stone.txt')).toBe('grey')

  await writeFile(join(localDir, 'textures', 'block', 'stone.txt'), 'dark grey')
  await page.getByLabel('Select a folder to upload').setInputFiles(join(localDir, 'textures'))
  await queue.getByLabel(/Apply to all/).check()
  await queue.getByRole('button', { name: 'Keep both' }).click()
  await expect(queue.getByText('2 uploaded')).toBeVisible()
  expect(await onDisk('textures', 'block', 'stone.txt')).toBe('grey')
  expect(await onDisk('textures', 'block', 'stone (2).txt')).toBe('dark grey')

  // The queue covers a part of the list, but its last row and footer can be scrolled into view.
  const many = Array.from({ length: 30 }, (_, index) => ({
    name: `f${10 + index}.txt`,
    mimeType: '',
    buffer: Buffer.from('x'),
  }))
  await page.getByLabel('Select files to upload').setInputFiles(many)
  // The two uploads from before may have been removed from the list.
  await expect(queue.getByText(/^3[02] uploaded$/)).toBeVisible()
  await page.getByText(/ used · /).click({ trial: true })
  await page.getByRole('button', { name: 'More actions for f39.txt' }).click()
  await expect(page.getByRole('menuitem', { name: 'Delete' })).toBeVisible()
})

/** Returns a function that sets the network conditions of the page. */
async function emulateNetwork(page: Page): Promise<(conditions: { offline: boolean }) => Promise<unknown>> {
  const session = await page.context().newCDPSession(page)
  await session.send('Network.enable')
  // Slow enough to interrupt an upload.
  const slow = { latency: 0, downloadThroughput: -1, uploadThroughput: 16 * 1024 ** 2 }
  return (conditions) => session.send('Network.emulateNetworkConditions', { ...slow, ...conditions })
}

async function getSha256(file: string): Promise<string> {
  const hash = createHash('sha256')
  for await (const part of createReadStream(file)) hash.update(part as Buffer)
  return hash.digest('hex')
}
