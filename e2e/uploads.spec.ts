import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from '@playwright/test'
import { addServer, expect, test as story } from './testing/story.ts'

/** With a folder of the person's own machine, to upload from. */
const test = story.extend<{ readonly own: string }>({
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the names of the fixtures that are used
  own: async ({}, use) => {
    const folder = await mkdtemp(join(tmpdir(), 'innkeeper-own-'))
    await use(folder)
    await rm(folder, { recursive: true, force: true })
  },
})

const pieceBytes = 32 * 1024 ** 2

test('an upload that is interrupted three times arrives byte for byte', async ({
  house: page,
  product,
  own,
  faultsAllowed,
}) => {
  // What a browser says of a connection that breaks.
  faultsAllowed(/ERR_|WebSocket/)
  const id = await addServer(page, { template: 'Any command', name: 'Lobby', settings: { Command: 'true' } })
  const world = join(own, 'world.zip')
  await writeFile(world, Buffer.alloc(3 * pieceBytes + 12_345, 'neither zeros nor one and the same letter '))
  const queue = page.getByRole('region', { name: 'Uploads' })
  const percent = async () => Number(/(\d+)%/.exec((await queue.textContent()) ?? '')?.[1] ?? 0)
  await page.goto(`${product.url}/server/${id}?tab=files`)
  const network = await networkOf(page)
  await network({ offline: false })

  // The network is gone for a while.
  await page.getByLabel('Select files to upload').setInputFiles(world)
  await expect.poll(percent, { message: 'the first piece is there' }).toBeGreaterThan(36)
  await network({ offline: true })
  await expect(queue.getByText('Waiting for connection')).toBeVisible()
  await network({ offline: false })
  await expect.poll(percent, { message: 'it goes on' }).toBeGreaterThan(45)

  // Innkeeper dies and comes back.
  await product.end('SIGKILL')
  await expect(queue.getByText('Waiting for connection')).toBeVisible()
  await product.start()
  await expect.poll(percent, { message: 'it goes on again', timeout: 40_000 }).toBeGreaterThan(70)

  // The page is loaded anew: the browser asks, and the person insists.
  page.once('dialog', (dialog) => void dialog.accept())
  await page.reload()
  await expect(page.getByText('1 upload was interrupted')).toBeVisible()
  await page.getByLabel('Select world.zip again to resume').setInputFiles(world)
  await expect(queue.getByText('1 uploaded')).toBeVisible({ timeout: 40_000 })

  expect(await sumOf(join(product.dataDir, 'servers', id, 'world.zip'))).toBe(await sumOf(world))
})

test('a folder arrives with its tree, and names that are taken are asked about', async ({
  house: page,
  product,
  own,
}) => {
  const id = await addServer(page, { template: 'Any command', name: 'Lobby', settings: { Command: 'true' } })
  await mkdir(join(own, 'textures', 'block'), { recursive: true })
  await writeFile(join(own, 'textures', 'pack.mcmeta'), '{}')
  await writeFile(join(own, 'textures', 'block', 'stone.txt'), 'grey')
  const queue = page.getByRole('region', { name: 'Uploads' })
  const onDisk = (...path: string[]) => readFile(join(product.dataDir, 'servers', id, ...path), 'utf8')
  await page.goto(`${product.url}/server/${id}?tab=files`)

  await page.getByLabel('Select a folder to upload').setInputFiles(join(own, 'textures'))
  await expect(queue.getByText('2 uploaded')).toBeVisible()
  await expect(page.getByRole('grid', { name: 'Files' }).getByText('textures')).toBeVisible()
  expect(await onDisk('textures', 'block', 'stone.txt')).toBe('grey')

  await writeFile(join(own, 'textures', 'block', 'stone.txt'), 'dark grey')
  await page.getByLabel('Select a folder to upload').setInputFiles(join(own, 'textures'))
  await queue.getByLabel(/Apply to all/).check()
  await queue.getByRole('button', { name: 'Keep both' }).click()
  await expect(queue.getByText('2 uploaded')).toBeVisible()
  expect(await onDisk('textures', 'block', 'stone.txt')).toBe('grey')
  expect(await onDisk('textures', 'block', 'stone (2).txt')).toBe('dark grey')

  // The queue lies over the list: its last row, and what is said below it, can be reached all the same.
  const many = Array.from({ length: 30 }, (_, index) => ({
    name: `f${10 + index}.txt`,
    mimeType: '',
    buffer: Buffer.from('x'),
  }))
  await page.getByLabel('Select files to upload').setInputFiles(many)
  // The two from before may have left the list by now.
  await expect(queue.getByText(/^3[02] uploaded$/)).toBeVisible()
  await page.getByText(/ used · /).click({ trial: true })
  await page.getByRole('button', { name: 'More for f39.txt' }).click()
  await expect(page.getByRole('menuitem', { name: 'Delete' })).toBeVisible()
})

/** The way from the browser to the panel, in the test's hand. */
async function networkOf(page: Page): Promise<(conditions: { offline: boolean }) => Promise<unknown>> {
  const session = await page.context().newCDPSession(page)
  await session.send('Network.enable')
  // Slow enough that there is time to interrupt an upload.
  const slow = { latency: 0, downloadThroughput: -1, uploadThroughput: 16 * 1024 ** 2 }
  return (conditions) => session.send('Network.emulateNetworkConditions', { ...slow, ...conditions })
}

async function sumOf(file: string): Promise<string> {
  const sum = createHash('sha256')
  for await (const part of createReadStream(file)) sum.update(part as Buffer)
  return sum.digest('hex')
}
