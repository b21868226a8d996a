import { cp } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'vitest'
import { TestPanel, test } from '../testing/test-panel.ts'

const webSource = new URL('../../../web/', import.meta.url)

/** Starts a panel with the files of the web app that are not bundled. */
async function withPublicFiles(): Promise<TestPanel> {
  const testPanel = await TestPanel.start()
  await testPanel.stop()
  const webDir = join(testPanel.folder, 'web')
  await cp(new URL('public', webSource), webDir, { recursive: true })
  await cp(new URL('index.html', webSource), join(webDir, 'index.html'))
  return TestPanel.start({ webDir })
}

/** The width and height in the header of a PNG (https://www.w3.org/TR/png-3/#11IHDR). */
function getPngSize(png: Buffer): string {
  expect(png.subarray(1, 4).toString('latin1')).toBe('PNG')
  return `${png.readUInt32BE(16)}x${png.readUInt32BE(20)}`
}

test('the web app can be installed: the page links the manifest, whose icons exist in their sizes', async ({
  onTestFinished,
}) => {
  const testPanel = await withPublicFiles()
  onTestFinished(() => testPanel.stop())
  const { app } = testPanel.panel

  const page = await app.inject({ method: 'GET', url: '/server' })
  const link = /<link rel="manifest" href="([^"]+)"/.exec(page.body)?.[1] ?? ''
  const manifest = (await app.inject({ method: 'GET', url: link })).json<{
    start_url: string
    display: string
    icons: { src: string; sizes: string; type: string; purpose?: string }[]
  }>()
  const icons = await Promise.all(
    manifest.icons.map(async ({ src }) => {
      const { headers, rawPayload } = await app.inject({ method: 'GET', url: src })
      return { src, type: headers['content-type'], sizes: getPngSize(rawPayload) }
    }),
  )

  expect(manifest).toMatchObject({ start_url: '/server', display: 'standalone' })
  expect(icons).toEqual(manifest.icons.map(({ src, type, sizes }) => ({ src, type, sizes })))
  expect(icons.map(({ sizes }) => sizes)).toEqual(expect.arrayContaining(['192x192', '512x512']))
  expect(manifest.icons.some(({ purpose }) => purpose === 'maskable')).toBe(true)
})
