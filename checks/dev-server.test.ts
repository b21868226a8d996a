import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, test } from 'vitest'
import { root } from './sources.ts'

/** Paths that the app requests and the panel serves, other than files of the web app. */
const panelPaths = ['/api/config', '/auth/login', '/proxy/daemon/server/x', '/theme/Harbour.tar', '/manifest.json']

test.each(panelPaths)('the development server of the web app forwards %s to the panel', async (path) => {
  const url = pathToFileURL(join(root, 'packages/web/vite.config.ts')).href
  const { default: config } = (await import(url)) as { default: { server: { proxy: Record<string, unknown> } } }

  const forwarded = Object.keys(config.server.proxy)

  expect(forwarded.some((prefix) => path.startsWith(prefix))).toBe(true)
})
