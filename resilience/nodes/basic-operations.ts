import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { getSftpUser } from '@innkeeper/contract/node-link/sftp'
import { createDownload } from '@innkeeper/contract/servers/files'
import { createServer } from '@innkeeper/contract/servers/new-server'
import {
  getConsole,
  getStatus,
  installServer,
  sendCommand,
  startServer,
  stopServer,
} from '@innkeeper/contract/servers/node-servers'
import { type Suite, waitUntil } from '../harness/suite.ts'
import { type ApiClient, admin, expectRefusal } from './api-client.ts'
import { ConsoleClient, findSequenceError } from './console-client.ts'
import { acceptsConnections, type Fixture, type NodeMachine } from './fixture.ts'
import { sha256, upload } from './upload.ts'

/** Creates a server on the node. `extra` is merged into its definition. */
export async function createServerOn(
  client: ApiClient,
  node: NodeMachine,
  name: string,
  command: string,
  extra: object = {},
) {
  const definition = { type: 'test', data: {}, environment: { type: 'standard' }, name, node: node.id, ...extra }
  return await client.send(createServer, { body: { ...definition, run: { command, stopCode: 15, ...getRun(extra) } } })
}

const getRun = (extra: object): object => (extra as { run?: object }).run ?? {}

/** A shell command that prints consecutive numbers. */
export const countingCommand = (perSecond: number): string =>
  `sh -c "i=0; while true; do i=$((i+1)); echo $i; sleep ${1 / perSecond}; done"`

/** What a server on the panel's machine can do, on a node. */
export async function basicOperations(suite: Suite, { client, firstNode, panels, certDir }: Fixture): Promise<void> {
  const install = [{ type: 'writefile', target: 'installed.txt', text: 'from a step' }]
  const params = await createServerOn(client, firstNode, 'basic', 'cat', { install })
  const files = join(firstNode.dataDir, 'servers', params.id)
  const content = randomBytes(6_000_000)

  await suite.check(
    'a server on a node can be created, installed and started, and its console works in both directions',
    async () => {
      await client.send(installServer, { params, query: { wait: 'true' } })
      if (!(await readdir(files)).includes('installed.txt')) throw new Error('the install step created no file')
      await client.send(startServer, { params, query: { wait: 'true' } })
      const consoleClient = new ConsoleClient(client, params.id)
      await client.send(sendCommand, { params, body: 'sent by API' })
      await waitUntil('the console shows the command sent by API', () => consoleClient.text.includes('sent by API'))
      consoleClient.sendCommand('sent by WebSocket')
      await waitUntil('the console shows the command sent by WebSocket', () =>
        consoleClient.text.includes('sent by WebSocket'),
      )
      consoleClient.close()
      const { logs } = await client.send(getConsole, { params, query: { time: '0' } })
      if (!logs.includes('sent by API') || !logs.includes('sent by WebSocket'))
        throw new Error(`the console contains only ${logs}`)
    },
  )

  await suite.check(
    'files can be sent by PUT and by resumable upload, and downloaded by API, by range and by link',
    async () => {
      const path = `/proxy/daemon/server/${params.id}/file/a%20world.dat`
      const response = await client.fetch(path, { method: 'PUT', body: content })
      if (response.status !== 204) throw new Error(`PUT: ${response.status}`)
      await upload(client, params.id, 'in chunks.dat', content)
      for (const name of ['a world.dat', 'in chunks.dat'])
        if (sha256(await readFile(join(files, name))) !== sha256(content))
          throw new Error(`${name} differs from what was sent`)
      const part = await client.fetch(path, { headers: { range: 'bytes=1000000-1999999' } })
      const bytes = Buffer.from(await part.arrayBuffer())
      if (part.status !== 206 || !bytes.equals(content.subarray(1_000_000, 2_000_000)))
        throw new Error('the range differs from what was sent')
      const { url } = await client.send(createDownload, { params, body: { paths: ['in chunks.dat'] } })
      const linked = await client.fetch(url)
      if (sha256(Buffer.from(await linked.arrayBuffer())) !== sha256(content))
        throw new Error('the file behind the link differs')
      if ((await client.fetch(url)).ok) throw new Error('the link worked twice')
    },
  )

  await suite.check('SFTP on the node accepts the password of the panel account', async () => {
    const local = join(tmpdir(), 'sftp')
    await writeFile(`${local}-sent`, content)
    const commands = `put ${local}-sent world.dat\nget world.dat ${local}-received\n`
    await sftp(firstNode.machine.address, getSftpUser(admin.email, params.id), commands)
    if (!(await readFile(`${local}-received`)).equals(content))
      throw new Error('the downloaded file differs from the uploaded one')
  })

  await suite.check('each panel reaches the node and shows what the other one did', async () => {
    for (const panel of panels) {
      const status = await client.withUrl(panel.url).send(getStatus, { params })
      if (status.state !== 'online') throw new Error(`${panel.machine.name} shows the server as ${status.state}`)
    }
    await client.withUrl(panels[0].url).send(stopServer, { params, query: { wait: 'true' } })
    const { state } = await client.withUrl(panels[1].url).send(getStatus, { params })
    if (state !== 'offline') throw new Error(`after a stop on one panel, the other one shows ${state}`)
  })

  await suite.check('panels reject a server at the address of a node with another certificate', async () => {
    await firstNode.stop('SIGTERM')
    const tls = ['-cert', `${certDir}/cert.pem`, '-key', `${certDir}/key.pem`, '-www']
    const impostor = firstNode.machine.spawn(['openssl', 's_server', '-accept', '5656', ...tls], { stdio: 'ignore' })
    suite.onCleanup(() => impostor.kill('SIGKILL'))
    await waitUntil('the impostor accepts connections', () => acceptsConnections(firstNode.machine.address, 5656))
    const codes = []
    for (const panel of panels)
      codes.push((await expectRefusal(client.withUrl(panel.url).send(getStatus, { params }))).code)
    impostor.kill('SIGKILL')
    await once(impostor, 'exit')
    await firstNode.start()
    await firstNode.waitForState(client, 'online')
    await client.send(getStatus, { params })
    return codes.join()
  })
}

/** Waits for that many more lines and checks that the numbers on the console have no gap. */
export async function expectConsecutiveLines(
  consoleClient: ConsoleClient,
  lines: number,
  timeoutMs = 30_000,
): Promise<void> {
  const before = consoleClient.text.split('\n').length
  await waitUntil(
    `the console shows ${lines} more lines`,
    () => consoleClient.text.split('\n').length >= before + lines,
    { timeoutMs },
  )
  const sequenceError = findSequenceError(consoleClient.text)
  if (sequenceError) throw new Error(sequenceError)
  if (consoleClient.droppedBytes > 0) throw new Error(`${consoleClient.droppedBytes} bytes are missing`)
}

export async function sftp(host: string, user: string, commands: string): Promise<void> {
  const askpass = join(tmpdir(), 'askpass')
  await writeFile(askpass, `#!/bin/sh\necho '${admin.password}'\n`, { mode: 0o700 })
  const nonInteractive = ['BatchMode=no', 'StrictHostKeyChecking=no', 'UserKnownHostsFile=/dev/null', 'LogLevel=ERROR']
  const options = [
    ...nonInteractive,
    'NumberOfPasswordPrompts=1',
    `User=${user}`,
    'Port=5657',
    'PreferredAuthentications=password',
  ]
  const env = { PATH: '/usr/bin:/bin', HOME: tmpdir(), SSH_ASKPASS: askpass, SSH_ASKPASS_REQUIRE: 'force' }
  await new Promise<void>((resolve, reject) => {
    const args = [...options.flatMap((option) => ['-o', option]), '-b', '-', host]
    const child = execFile('sftp', args, { env, timeout: 60_000 }, (error, out, err) => {
      if (error) reject(new Error(`sftp: ${out}${err}`))
      else resolve()
    })
    child.stdin?.end(commands)
  })
}
