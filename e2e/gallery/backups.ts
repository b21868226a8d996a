import type { Backup, BackupCopy, BackupJob } from '@innkeeper/contract/backups/backups'
import type { FileEntry } from '@innkeeper/contract/servers/files'
import type { Page } from '@playwright/test'

const hour = 60 * 60_000
const isoBefore = (ms: number) => new Date(Date.now() - ms).toISOString()

const usual = {
  name: '',
  origin: 'task',
  server: 'paused',
  files: 4_812,
  bytes: 1.9 * 1024 ** 3,
  newBytes: 34 * 1024 ** 2,
  durationMs: 41_000,
  isLocked: false,
} as const

const longNote = 'Before the update to 1.21.4, with the new terrain of the north and all plugins of the spring event'

const backups: readonly Backup[] = [
  {
    ...usual,
    id: '00000000000000a1',
    createdAt: isoBefore(3 * hour),
    verification: { at: isoBefore(2 * hour), files: usual.files, bytes: usual.bytes, bootedInMs: 14_200 },
  },
  {
    ...usual,
    id: '00000000000000a2',
    createdAt: isoBefore(20 * hour),
    origin: 'restore',
    author: 'mara',
    verification: {
      at: isoBefore(19 * hour),
      files: usual.files,
      bytes: usual.bytes,
      notBooted: 'the node has not enough free memory',
    },
  },
  {
    ...usual,
    id: '00000000000000a3',
    name: longNote,
    createdAt: isoBefore(50 * hour),
    origin: 'user',
    author: 'operator-of-all-the-northern-servers',
    server: 'running',
    unreadFiles: 2,
    isLocked: true,
  },
  {
    ...usual,
    id: '00000000000000a4',
    name: 'First',
    createdAt: isoBefore(900 * hour),
    origin: 'user',
    author: 'mara',
    verification: {
      at: isoBefore(30 * hour),
      files: 0,
      bytes: 0,
      error: {
        code: 'ErrBackupFailed',
        msg: '',
        metadata: { reason: 'ciphertext verification failed: pack 5f2c8be80a0b6c3d2f4f does not match its id' },
      },
    },
  },
]

const retention = {
  retention: { last: 2, daily: 1, weekly: 4, monthly: 0, yearly: 0, maxBytes: 50 * 1024 ** 3 },
  timezone: 'Europe/Berlin',
}

const jobs: readonly BackupJob[] = [
  {
    id: 'a',
    type: 'create',
    state: 'running',
    name: '',
    bytes: 700 * 1024 ** 2,
    totalBytes: 1.9 * 1024 ** 3,
    startedAt: isoBefore(20_000),
  },
  { id: 'b', type: 'create', state: 'waiting', name: '', startedAt: isoBefore(5_000) },
  {
    id: 'c',
    type: 'restore',
    state: 'failed',
    name: longNote,
    error: { code: 'ErrDisk', msg: 'No space left on device', metadata: { reason: 'No space left on device' } },
    startedAt: isoBefore(60_000),
    endedAt: isoBefore(30_000),
  },
]

const files: readonly FileEntry[] = [
  { name: 'config', isFile: false },
  { name: 'world', isFile: false },
  { name: 'world_of_the_northern_valley_with_a_name_that_is_too_long_for_any_dialog', isFile: false },
  { name: 'latest.log', isFile: true, size: 81_234, isLink: true },
  { name: 'server.properties', isFile: true, size: 1_204 },
  { name: 'socket', isFile: true, isOdd: true },
]

interface FakeOptions {
  readonly withJobs?: boolean
  /** Where each of them is. */
  readonly copies?: readonly BackupCopy[]
}

/** The backups of a server, instead of those that its node has. */
export async function fakeBackups(page: Page, { withJobs = false, copies }: FakeOptions = {}): Promise<void> {
  const json = backups.map((backup) => (copies ? { ...backup, copies } : backup))
  await page.route(/\/daemon\/server\/[^/]+\/backup$/, (route) => route.fulfill({ json }))
  await page.route(/\/backup\/jobs$/, (route) => route.fulfill({ json: withJobs ? jobs : [] }))
  await page.route(/\/backup\/retention\/rules$/, (route) => route.fulfill({ json: retention }))
  await page.route(/\/backup\/files\//, (route) => route.fulfill({ json: files }))
}

/** Opens the menu of a backup and chooses an action. */
export const onBackup = (name: string, action: string) => async (page: Page) => {
  await page.getByRole('button', { name: `More actions for ${name}` }).click()
  await page.getByRole('menuitem', { name: action, exact: true }).click()
  await page.getByRole('dialog').waitFor()
}
