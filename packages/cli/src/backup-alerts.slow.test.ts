import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { chmod, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createAlertChannel } from '@innkeeper/contract/alerts/alerts'
import { createBackup, listBackups, verifyBackup } from '@innkeeper/contract/backups/backups'
import { createServer } from '@innkeeper/contract/servers/new-server'
import { HttpReceiver } from '@innkeeper/panel/testing/http-receiver'
import { test as base, expect, vi } from 'vitest'
import { TestInstallation } from './testing/test-installation.ts'

/** Long enough for a busy machine. */
const pollOptions = { timeout: 30_000, interval: 100 }

/** Overwrites half of the file that contains the largest files of a repository. */
function damageRepository(data: string): void {
  const packs = readdirSync(data, { recursive: true, encoding: 'utf8' }).map((name) => join(data, name))
  const getSize = (path: string) => (statSync(path).isFile() ? statSync(path).size : 0)
  const [largest = ''] = packs.toSorted((a, b) => getSize(b) - getSize(a))
  const bytes = readFileSync(largest)
  bytes.fill(0, 0, bytes.length >> 1)
  writeFileSync(largest, bytes)
}

interface Fixture {
  readonly installation: TestInstallation
  readonly receiver: HttpReceiver
  /** Creates a server with a backup. */
  readonly backUp: (run: object, file?: string) => Promise<{ id: string; backup: string }>
}

const test = base.extend<{ fixture: Fixture }>({
  // biome-ignore lint/correctness/noEmptyPattern: the runner reads what a fixture needs from its pattern
  fixture: async ({}, use) => {
    const receiver = await HttpReceiver.start()
    await using installation = await TestInstallation.start(undefined, { alertAllow: [receiver.address] })
    const backUp = async (run: object, file = 'small') => {
      const definition = { name: 'lobby', node: 0, type: 'test', run: { stop: 'stop', ...run }, data: {} }
      const { id } = await installation.send(createServer, { body: definition } as never)
      const folder = join(installation.folder, 'data/servers', id)
      await mkdir(folder, { recursive: true })
      await writeFile(join(folder, 'world'), file)
      await installation.send(createBackup, { params: { id }, body: { name: 'Before update', verify: false } })
      const backup = await vi.waitFor(async () => {
        const [found] = await installation.send(listBackups, { params: { id } })
        expect(found).toBeDefined()
        return found?.id ?? ''
      }, pollOptions)
      return { id, backup }
    }
    const channel = { name: 'hook', type: 'webhook', target: receiver.url, alerts: ['backupFailed'] } as const
    await installation.send(createAlertChannel, { body: { ...channel, alerts: [...channel.alerts] } })
    await use({ installation, receiver, backUp })
    await receiver.stop()
  },
})

test('damage that a verification finds reaches a webhook with its reason', { timeout: 120_000 }, async ({
  fixture,
}) => {
  const { installation, receiver, backUp } = fixture
  const { id, backup } = await backUp({ command: 'true' }, Array.from({ length: 100_000 }, () => Math.random()).join())
  damageRepository(join(installation.folder, 'data/backups/repository/data'))

  await installation.send(verifyBackup, { params: { id, backup }, query: {} })

  await vi.waitFor(() => expect(receiver.received).toHaveLength(1), pollOptions)
  expect(receiver.messages[0]).toMatchObject({
    type: 'backupFailed',
    title: 'Backup failed: lobby',
    server: { id },
    detail: expect.stringMatching(/^Verification failed: Before update: .* is damaged in the repository/),
  })
})

// Copies need users of their own.
test.runIf(process.getuid?.() === 0)(
  'a copy of a server that does not start from its backup reaches a webhook with the reason',
  { timeout: 120_000 },
  async ({ fixture }) => {
    const { installation, receiver, backUp } = fixture
    await chmod(installation.folder, 0o711)
    await installation.stop('SIGTERM')
    await installation.restart()
    await installation.logIn()
    const { id, backup } = await backUp({ command: 'sh -c "exit 3"', readyPattern: 'never printed' })

    await installation.send(verifyBackup, { params: { id, backup }, query: {} })

    await vi.waitFor(() => expect(receiver.received).toHaveLength(1), pollOptions)
    const reason = 'Verification failed: Before update: A copy of the server from this backup did not start: '
    const detail = expect.stringMatching(new RegExp(`^${reason}.*code 3`))
    expect(receiver.messages[0]).toMatchObject({ type: 'backupFailed', detail })
  },
)
