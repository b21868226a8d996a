import { expect, test } from 'vitest'
import { freePort } from '../testing/free-port.ts'
import { RemoteNode } from '../testing/remote-node.ts'
import { runCommand } from '../testing/run-command.ts'
import { TestInstallation } from '../testing/test-installation.ts'

test('a panel and a node are ready while they run', async () => {
  await using installation = await TestInstallation.start()
  await using node = await RemoteNode.join(installation)
  const nodeEnv = { INNKEEPER_CONFIG: `${node.folder}/config.json` }

  expect(await runCommand(['health'], installation.env)).toMatchObject({ code: 0, out: 'Innkeeper is ready.\n' })
  expect(await runCommand(['health'], nodeEnv)).toMatchObject({ code: 0, out: 'Innkeeper is ready.\n' })

  await node.end('SIGTERM')
  expect(await runCommand(['health'], nodeEnv)).toMatchObject({ code: 1, out: 'Innkeeper is not ready.\n' })
})

test('a panel that does not run is not ready', async () => {
  const env = { INNKEEPER_DATA_DIR: '/nonexistent', INNKEEPER_PORT: String(await freePort()) }

  expect(await runCommand(['health'], env)).toMatchObject({ code: 1, out: 'Innkeeper is not ready.\n' })
})
