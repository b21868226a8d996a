import { cp, mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { getStatus, startServer } from '@innkeeper/contract/servers/node-servers'
import { type Suite, waitUntil } from '../harness/suite.ts'
import { countingCommand, createServerOn, expectConsecutiveLines } from './basic-operations.ts'
import { ConsoleClient } from './console-client.ts'
import type { Fixture } from './fixture.ts'

const repository = fileURLToPath(new URL('../..', import.meta.url))

/** A node is killed, upgraded and downgraded. */
export async function nodeRestarts(suite: Suite, { client, firstNode }: Fixture): Promise<void> {
  const params = await createServerOn(client, firstNode, 'survivor', countingCommand(20))
  await client.send(startServer, { params, query: { wait: 'true' } })
  const { since } = await client.send(getStatus, { params })
  const consoleClient = new ConsoleClient(client, params.id)
  await expectConsecutiveLines(consoleClient, 20)
  const expectUninterrupted = async () => {
    await waitUntil('API calls succeed', () => client.send(getStatus, { params }).then(() => true))
    const now = await client.send(getStatus, { params })
    if (now.since !== since) throw new Error(`the server was started at ${now.since}, not at ${since}`)
    await expectConsecutiveLines(consoleClient, 100, 60_000)
  }

  await suite.check(
    'servers keep running while their node is killed and restarted, and their consoles lose nothing',
    async () => {
      await firstNode.stop('SIGKILL')
      await firstNode.start()
      await expectUninterrupted()
    },
  )

  await suite.check(
    'servers keep running through an upgrade of their node, and its page shows the new version',
    async () => {
      const checkout = await copyAsVersion('0.2.0')
      await firstNode.stop('SIGTERM')
      await firstNode.start({}, checkout)
      await expectUninterrupted()
      const showsNewVersion = async () => {
        const { health } = await firstNode.fetch(client)
        return health?.features?.version === '0.2.0' && health.problems.join() === 'otherVersion'
      }
      await waitUntil(
        'the page of the node shows the new version and that it differs from that of the panel',
        showsNewVersion,
      )
    },
  )

  await suite.check('servers keep running through a downgrade of their node', async () => {
    await firstNode.stop('SIGTERM')
    await firstNode.start()
    await expectUninterrupted()
    await firstNode.waitForState(client, 'online')
  })
  consoleClient.close()
}

/** Copies this checkout to another folder with another version number. Resolves with the folder. */
async function copyAsVersion(version: string): Promise<string> {
  const folder = join(tmpdir(), 'other-version')
  for (const part of ['packages', 'templates', 'package.json'])
    await cp(join(repository, part), join(folder, part), { recursive: true, verbatimSymlinks: true })
  await mkdir(join(folder, 'node_modules/@innkeeper'), { recursive: true })
  // The workspace packages are copies, the dependencies are shared.
  for (const name of await readdir(join(repository, 'node_modules')))
    if (name !== '@innkeeper') await symlink(join(repository, 'node_modules', name), join(folder, 'node_modules', name))
  for (const name of await readdir(join(folder, 'packages')))
    await symlink(join(folder, 'packages', name), join(folder, 'node_modules/@innkeeper', name))
  const manifest = join(folder, 'packages/cli/package.json')
  await writeFile(manifest, JSON.stringify({ ...(JSON.parse(await readFile(manifest, 'utf8')) as object), version }))
  return folder
}
