import type { NodeBackupTargets } from '@innkeeper/contract/backups/backup-targets'
import type { Page } from '@playwright/test'
import { fakeBackups } from './backups.ts'

const [nas, cloud, rest] = ['0a0a0a0a', '0b0b0b0b', '0c0c0c0c'] as const

const targets: NodeBackupTargets = {
  targets: [
    {
      id: nas,
      name: 'NAS in the cellar',
      address: {
        ...{ type: 'sftp', host: '192.168.178.20', port: 22, user: 'innkeeper', path: 'backups/node' },
        hostKey: 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl',
      },
    },
    {
      id: cloud,
      name: 'Object storage of the company in another country',
      address: {
        ...{ type: 's3', endpoint: 'https://s3.eu-central-003.object-storage.example.com', bucket: 'game-servers' },
        ...{ path: 'frankfurt/node-1', region: 'eu-central-003', usesPathStyle: true, certificates: '' },
      },
      error: { code: 'ErrBackupFailed', msg: '', metadata: { reason: 'The target refused the login' } },
    },
    {
      id: rest,
      name: 'rest',
      address: { type: 'rest', url: 'https://backups.example.com:8000/innkeeper/', user: '', certificates: '' },
    },
  ],
  defaults: ['local', nas],
}

/** The targets of a node, one of which fails. */
export async function fakeTargets(page: Page): Promise<void> {
  await page.route(/\/api\/nodes\/\d+\/backups\/targets$/, (route) => route.fulfill({ json: targets }))
}

/** Backups of a server whose node has several targets. */
export async function fakeCopies(page: Page): Promise<void> {
  await fakeBackups(page, {
    copies: [
      { target: 'local', state: 'stored' },
      { target: nas, state: 'waiting' },
      {
        ...{ target: cloud, state: 'failed' },
        error: { code: 'ErrBackupFailed', msg: '', metadata: { reason: 'The target refused the login' } },
      },
    ],
  })
  const named = targets.targets.map(({ id, name }) => ({ id, name }))
  await page.route(/\/backup\/targets\/selected$/, (route) =>
    route.fulfill({ json: { targets: named, selected: ['local', nas, cloud], defaults: targets.defaults } }),
  )
}
