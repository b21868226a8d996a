import type { BackupOverview } from '@innkeeper/contract/backups/node-backups'
import type { Page } from '@playwright/test'

const gib = 1024 ** 3
const hour = 60 * 60_000
const isoBefore = (ms: number) => new Date(Date.now() - ms).toISOString()

const local = { id: 0, name: 'LocalNode' }
const far = { id: 1, name: 'Frankfurt 2' }
const server = (id: string, name: string) => ({ id, name })

const largest = [
  { node: local, server: server('0a0a0a0a', 'Survival of the northern community'), backups: 31, bytes: 48.2 * gib },
  { node: far, server: server('0b0b0b0b', 'Valheim'), backups: 12, bytes: 9.6 * gib },
  { node: local, server: server('0c0c0c0c', 'Lobby'), backups: 7, bytes: 0.4 * gib },
]

const overview: BackupOverview = {
  nodes: [
    { ...local, usage: { backups: 38, bytes: 48.6 * gib, unmeasured: 0 } },
    { ...far, usage: { backups: 12, bytes: 9.6 * gib, unmeasured: 0 } },
    { id: 2, name: 'Backup machine in the office' },
  ],
  largest,
  failures: [
    {
      ...{ node: local, server: server('0c0c0c0c', 'Lobby'), type: 'create', at: isoBefore(3 * hour) },
      error: { code: 'ErrDisk', metadata: { reason: 'the disk is full' } },
    },
    {
      ...{ node: far, server: server('0b0b0b0b', 'Valheim'), type: 'copy', at: isoBefore(20 * hour) },
      error: {
        code: 'ErrBackupFailed',
        metadata: { reason: 'NAS: the target does not respond. Check its address, and whether it runs' },
      },
    },
  ],
}

/** Backups on several nodes, of which one does not respond; or those of one node. */
export async function fakeBackupOverview(page: Page): Promise<void> {
  await page.route(/\/api\/backups\/overview/, (route) => {
    const isOne = new URL(route.request().url()).searchParams.has('node')
    const ofLocal = <T extends { readonly node: { readonly id: number } }>(all: readonly T[]) =>
      all.filter(({ node }) => node.id === 0)
    const one = {
      nodes: overview.nodes.slice(0, 1),
      largest: ofLocal(overview.largest),
      failures: ofLocal(overview.failures),
    }
    return route.fulfill({ json: isOne ? one : overview })
  })
}
