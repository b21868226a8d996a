import { execFileSync } from 'node:child_process'
import { chmodSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { createBackup, listBackups } from '@innkeeper/contract/backups/backups'
import { putFile } from '@innkeeper/contract/servers/files'
import { createServer } from '@innkeeper/contract/servers/new-server'
import { startServer } from '@innkeeper/contract/servers/node-servers'
import { expect, test, vi } from 'vitest'
import { TestInstallation } from './testing/test-installation.ts'

const isRoot = process.getuid?.() === 0
/** A user of the machine that is neither Innkeeper nor a server. */
const otherUser = ['--reuid', '64999', '--regid', '64999', '--clear-groups']

/** Those of the paths that a user can read, write, list or run. */
function usableBy(user: readonly string[], paths: readonly string[]): readonly string[] {
  const script = `while IFS= read -r path; do
    if [ -r "$path" ] || [ -w "$path" ] || { [ -f "$path" ] && [ -x "$path" ]; }; then printf '%s\\n' "$path"; fi
  done`
  const input = `${paths.join('\n')}\n`
  const found = execFileSync('setpriv', [...user, '--', 'sh', '-c', script], { input, encoding: 'utf8' })
  return found.split('\n').filter(Boolean)
}

test.runIf(isRoot)(
  'another user of the machine can use nothing in the data folder: databases, keys, consoles, backups, files',
  async () => {
    await using installation = await TestInstallation.start()
    // As in an installation, where the data folder is below a folder that everybody may enter.
    chmodSync(installation.folder, 0o755)
    const run = { command: 'sleep 600', stopCode: 15 }
    const body = { name: 'lobby', node: 0, type: 'test', run, data: {}, environment: { type: 'standard' } } as const
    const { id } = await installation.send(createServer, { body } as never)
    const file = { params: { id, path: 'server.properties' }, query: {}, body: 'rcon.password=secret' }
    await installation.send(putFile, file as never)
    await installation.send(startServer, { params: { id }, query: { wait: 'true' } })
    await installation.send(createBackup, { params: { id }, body: { name: '', verify: false } })
    await vi.waitFor(async () => expect(await installation.send(listBackups, { params: { id } })).toHaveLength(1), {
      timeout: 60_000,
      interval: 200,
    })

    const data = join(installation.folder, 'data')
    const paths = readdirSync(data, { recursive: true, encoding: 'utf8' }).map((path) => join(data, path))

    // Without temporary files, which are gone.
    const usable = usableBy([], paths)
    const names = usable.map((path) => path.slice(data.length + 1))
    const expected = ['panel.db', 'node-key.pem', 'sftp-host-key', `servers/${id}/server.properties`, 'backups/key']
    expect(names).toEqual(expect.arrayContaining(expected))
    // Programs for all servers are there to be run.
    expect(usableBy(otherUser, usable).filter((path) => !path.startsWith(join(data, 'runtimes', '')))).toEqual([])
  },
)
