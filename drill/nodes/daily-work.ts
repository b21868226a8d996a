import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createDownload } from '@innkeeper/contract/files'
import {
  getConsole,
  getStatus,
  installServer,
  sendCommand,
  startServer,
  stopServer,
} from '@innkeeper/contract/node-servers'
import { createServer } from '@innkeeper/contract/servers'
import { sftpUserOf } from '@innkeeper/contract/sftp'
import { type Drill, until } from '../stage/drill.ts'
import { answersAt, type Cast, type NodeMachine } from './cast.ts'
import { admin, type Operator, refusalOf } from './operator.ts'
import { digestOf, upload } from './upload.ts'
import { disorderIn, Viewer } from './viewer.ts'

/** A server on a node. */
export async function serverOn(
  operator: Operator,
  node: NodeMachine,
  name: string,
  command: string,
  more: object = {},
) {
  const definition = { type: 'test', data: {}, environment: { type: 'standard' }, name, node: node.id, ...more }
  return await operator.send(createServer, { body: { ...definition, run: { command, stopCode: 15, ...runOf(more) } } })
}

const runOf = (more: object): object => (more as { run?: object }).run ?? {}

/** Counts on its console, so fast. */
export const counting = (perSecond: number): string =>
  `sh -c "i=0; while true; do i=$((i+1)); echo $i; sleep ${1 / perSecond}; done"`

/** Everything that a local server does. */
export async function dailyWork(drill: Drill, { operator, far, panels, gate }: Cast): Promise<void> {
  const install = [{ type: 'writefile', target: 'installed.txt', text: 'by a step' }]
  const params = await serverOn(operator, far, 'daily', 'cat', { install })
  const files = join(far.data, 'servers', params.id)
  const world = randomBytes(6_000_000)

  await drill.show('a server on a node is created, installed, started, spoken to and watched', async () => {
    await operator.send(installServer, { params, query: { wait: 'true' } })
    if (!(await readdir(files)).includes('installed.txt')) throw new Error('the step left nothing')
    await operator.send(startServer, { params, query: { wait: 'true' } })
    const viewer = new Viewer(operator, params.id)
    await operator.send(sendCommand, { params, body: 'by a call' })
    await until('the console shows what was typed', () => viewer.text.includes('by a call'))
    viewer.type('over the socket')
    await until('the console shows what was typed over the socket', () => viewer.text.includes('over the socket'))
    viewer.close()
    const { logs } = await operator.send(getConsole, { params, query: { time: '0' } })
    if (!logs.includes('by a call') || !logs.includes('over the socket')) throw new Error(`the console says ${logs}`)
  })

  await drill.show('files are put, uploaded in pieces, downloaded by call and by link, whole and in part', async () => {
    const path = `/proxy/daemon/server/${params.id}/file/a%20world.dat`
    const put = await operator.fetch(path, { method: 'PUT', body: world })
    if (put.status !== 204) throw new Error(`PUT: ${put.status}`)
    await upload(operator, params.id, 'in pieces.dat', world)
    for (const name of ['a world.dat', 'in pieces.dat'])
      if (digestOf(await readFile(join(files, name))) !== digestOf(world))
        throw new Error(`${name} is not what was sent`)
    const part = await operator.fetch(path, { headers: { range: 'bytes=1000000-1999999' } })
    const bytes = Buffer.from(await part.arrayBuffer())
    if (part.status !== 206 || !bytes.equals(world.subarray(1_000_000, 2_000_000))) throw new Error('a part is not it')
    const { url } = await operator.send(createDownload, { params, body: { paths: ['in pieces.dat'] } })
    const linked = await operator.fetch(url)
    if (digestOf(Buffer.from(await linked.arrayBuffer())) !== digestOf(world)) throw new Error('the link gives another')
    if ((await operator.fetch(url)).ok) throw new Error('the link was good twice')
  })

  await drill.show('SFTP goes to the node, with the password of the panel', async () => {
    const local = join(tmpdir(), 'sftp')
    await writeFile(`${local}-there`, world)
    const commands = `put ${local}-there world.dat\nget world.dat ${local}-back\n`
    await sftp(far.machine.address, sftpUserOf(admin.email, params.id), commands)
    if (!(await readFile(`${local}-back`)).equals(world)) throw new Error('it came back as another')
  })

  await drill.show('each panel reaches the node, and what one did the other shows', async () => {
    for (const panel of panels) {
      const status = await operator.at(panel.url).send(getStatus, { params })
      if (status.state !== 'online') throw new Error(`${panel.machine.name} says ${status.state}`)
    }
    await operator.at(panels[0].url).send(stopServer, { params, query: { wait: 'true' } })
    const { state } = await operator.at(panels[1].url).send(getStatus, { params })
    if (state !== 'offline') throw new Error(`stopped by one, the other says ${state}`)
  })

  await drill.show('whoever answers at the address of a node with another certificate is not believed', async () => {
    await far.end('SIGTERM')
    const page = ['-cert', `${gate}/cert.pem`, '-key', `${gate}/key.pem`, '-www']
    const impostor = far.machine.spawn(['openssl', 's_server', '-accept', '5656', ...page], { stdio: 'ignore' })
    drill.atEnd(() => impostor.kill('SIGKILL'))
    await until('somebody else answers', () => answersAt(far.machine.address, 5656))
    const heard = []
    for (const panel of panels) heard.push((await refusalOf(operator.at(panel.url).send(getStatus, { params }))).code)
    impostor.kill('SIGKILL')
    await once(impostor, 'exit')
    await far.start()
    await far.untilSeen(operator, 'online')
    await operator.send(getStatus, { params })
    return heard.join()
  })
}

/** Shows that a console counts on without a gap, from now on for so many more lines. */
export async function countsOn(viewer: Viewer, lines: number, withinMs = 30_000): Promise<void> {
  const before = viewer.text.split('\n').length
  await until(`${lines} more lines`, () => viewer.text.split('\n').length >= before + lines, { withinMs })
  const disorder = disorderIn(viewer.text)
  if (disorder) throw new Error(disorder)
  if (viewer.missing > 0) throw new Error(`${viewer.missing} bytes were left out`)
}

async function sftp(host: string, user: string, commands: string): Promise<void> {
  const askpass = join(tmpdir(), 'askpass')
  await writeFile(askpass, `#!/bin/sh\necho '${admin.password}'\n`, { mode: 0o700 })
  const quiet = ['BatchMode=no', 'StrictHostKeyChecking=no', 'UserKnownHostsFile=/dev/null', 'LogLevel=ERROR']
  const options = [
    ...quiet,
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
