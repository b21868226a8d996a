import type { FileVersion, TrashEntry } from '@innkeeper/contract/servers/trash'
import type { Page } from '@playwright/test'

const hour = 60 * 60_000
const iso = (ms: number) => new Date(Date.now() + ms).toISOString()
const times = (ageMs: number) => ({ discardedAt: iso(-ageMs), expiresAt: iso(7 * 24 * hour - ageMs) })

const entries: readonly TrashEntry[] = [
  {
    id: '00000000000000a1',
    path: '/world_nether/DIM-1/region/a-region-with-a-very-long-name-of-the-northern-nether.mca',
    paths: 312,
    isFolder: false,
    bytes: 1.2 * 1024 ** 3,
    reason: 'deleted',
    author: 'operator-of-all-the-northern-servers',
    ...times(hour / 4),
  },
  {
    id: '00000000000000a2',
    path: '/server.properties',
    paths: 1,
    isFolder: false,
    bytes: 1_412,
    reason: 'overwritten',
    author: 'mara',
    ...times(2 * hour),
  },
  { id: '00000000000000a3', path: '/plugins', paths: 1, isFolder: true, reason: 'extracted', ...times(30 * hour) },
  {
    id: '00000000000000a4',
    path: '/eula.txt',
    paths: 1,
    isFolder: false,
    bytes: 10,
    reason: 'reinstalled',
    ...times(99 * hour),
  },
]

/** The trash of a server with an entry of each reason. */
export async function fakeTrash(page: Page): Promise<void> {
  await page.route(/\/daemon\/server\/[^/]+\/trash$/, (route) =>
    route.fulfill({ json: { entries, bytes: 1.3 * 1024 ** 3, maxBytes: 10 * 1024 ** 3, days: 7 } }),
  )
}

const versions: readonly FileVersion[] = [
  { savedBy: 'mara', age: hour / 2 },
  { savedBy: 'operator-of-all-the-northern-servers', age: 3 * hour },
  { age: 26 * hour },
  { savedBy: 'mara', age: 80 * hour, reason: 'reinstalled' as const, path: '/config-of-last-winter/server.properties' },
].map(({ age, ...more }, at) => ({
  entry: `00000000000000b${at}`,
  bytes: 1_412 - at,
  savedAt: iso(-age),
  reason: 'overwritten',
  replacedAt: iso(-age / 2),
  replacedBy: 'mara',
  ...more,
}))

/** Former contents of a file. */
export async function fakeVersions(page: Page): Promise<void> {
  await page.route(/\/daemon\/server\/[^/]+\/versions\//, (route) => route.fulfill({ json: { versions } }))
  await page.route(/\/daemon\/server\/[^/]+\/trash\/[^/]+\/file\//, (route) =>
    route.fulfill({
      contentType: 'application/octet-stream',
      body: '#Minecraft server properties\nmax-players=8\nmotd=Before the great winter\nonline-mode=true\npvp=false\n',
    }),
  )
}
