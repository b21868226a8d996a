import { randomBytes } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { sendCommand, startServer } from '@innkeeper/contract/servers/node-servers'
import { listServers } from '@innkeeper/contract/servers/servers'
import { type Suite, waitUntil } from '../harness/suite.ts'
import { type ApiClient, withRetries } from './api-client.ts'
import { countingCommand, createServerOn, expectConsecutiveLines } from './basic-operations.ts'
import { ConsoleClient, findSequenceError } from './console-client.ts'
import type { Fixture, PanelMachine } from './fixture.ts'
import { sha256, upload } from './upload.ts'

/** Panels are killed and restarted while clients use them. */
export async function panelFailures(suite: Suite, { client, secondNode, panels }: Fixture): Promise<void> {
  const params = await createServerOn(client, secondNode, 'in-use', countingCommand(50))
  const echo = await createServerOn(client, secondNode, 'echo', 'cat')
  for (const server of [params, echo]) await client.send(startServer, { params: server, query: { wait: 'true' } })
  const files = join(secondNode.dataDir, 'servers', params.id)

  await suite.check(
    'a console and an upload continue through the other panel when each panel is killed in turn',
    async () => {
      // nginx alternates between the panels: each panel serves one of the two.
      const consoles = [new ConsoleClient(client, params.id), new ConsoleClient(client, params.id)] as const
      const bytes = randomBytes(48_000_000)
      const remaining = [...panels]
      const killAtQuarters = async (offset: number) => {
        const panel =
          offset > 0 && offset >= (bytes.length * (panels.length - remaining.length + 1)) / 4
            ? remaining.shift()
            : undefined
        if (!panel) return
        // While the next chunk is in flight.
        setTimeout(() => void killAndStart(panel), 20)
      }
      const { retries } = await upload(client, params.id, 'world.dat', bytes, killAtQuarters)
      await Promise.all(panels.map((panel) => waitUntilReady(client, panel)))
      for (const consoleClient of consoles) await expectConsecutiveLines(consoleClient, 100)
      for (const consoleClient of consoles) consoleClient.close()
      if (sha256(await readFile(join(files, 'world.dat'))) !== sha256(bytes))
        throw new Error('the file differs from what was sent')
      const disconnects = consoles[0].disconnects + consoles[1].disconnects
      if (disconnects === 0) throw new Error('no console was connected through a killed panel')
      return `${disconnects} consoles were disconnected, ${retries} chunks sent again`
    },
  )

  await suite.check('a rolling restart of both panels loses no request of a client that retries', async () => {
    let isOver = false
    const restarts = restartInTurn(client, panels).finally(() => {
      isOver = true
    })
    let [sent, retries] = [0, 0]
    const countRetry = () => {
      retries++
    }
    const folder = `/proxy/daemon/server/${params.id}/file/many`
    const workers = [0, 1, 2, 3].map(async (worker) => {
      for (let number = 0; !isOver; number++) {
        const name = `${worker}-${number}`
        await withRetries(async () => {
          const response = await client.fetch(`${folder}/${name}`, { method: 'PUT', body: name })
          if (response.status !== 204) throw new Error(`${name}: ${response.status} ${await response.text()}`)
        }, countRetry)
        sent++
        await withRetries(() => client.send(listServers, { query: {} }), countRetry)
        sent++
      }
    })
    await client.fetch(`${folder}?folder=true`, { method: 'PUT' })
    await Promise.all(workers)
    await restarts
    const names = await readdir(join(files, 'many'))
    if (names.length !== sent / 2) throw new Error(`${sent / 2} files were acknowledged, ${names.length} exist`)
    for (const name of names)
      if ((await readFile(join(files, 'many', name), 'utf8')) !== name) throw new Error(`${name} has other content`)
    return `${sent} requests, ${retries} retries`
  })

  await suite.check('a command that is sent once arrives once', async () => {
    const consoleClient = new ConsoleClient(client, echo.id)
    for (let number = 1; number <= 20; number++) await client.send(sendCommand, { params: echo, body: String(number) })
    await waitUntil('the console shows all commands', () => /^20\r?$/m.test(consoleClient.text))
    const sequenceError = findSequenceError(consoleClient.text)
    consoleClient.close()
    if (sequenceError) throw new Error(sequenceError)
  })
}

async function killAndStart(panel: PanelMachine): Promise<void> {
  await panel.stop('SIGKILL')
  await panel.start()
}

async function restartInTurn(client: ApiClient, panels: readonly PanelMachine[]): Promise<void> {
  for (const panel of panels) {
    await panel.stop('SIGTERM')
    await panel.start()
    await waitUntilReady(client, panel)
  }
}

async function waitUntilReady(client: ApiClient, panel: PanelMachine): Promise<void> {
  const direct = client.withUrl(panel.url)
  const isReady = () => direct.fetch('/readyz').then(({ ok }) => ok)
  await waitUntil(`${panel.machine.name} is ready`, isReady)
  await direct.close()
}
