import { connect } from 'node:net'
import { access, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { forPanel, getStats, getStatus, installServer, killServer, sendCommand, startServer, stopServer } from '@innkeeper/contract/node-servers'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { TestNode, type Watcher } from '../../testing/daemon.ts'
import { TestEngine, testImage } from '../../testing/engine.ts'

const id = '0a0a0a0a'
const params = { id }
const wait = { wait: true }
const patience = { timeout: 15_000, interval: 50 }

let engine: TestEngine
beforeAll(async () => {
  engine = await TestEngine.create()
})
afterAll(async () => {
  await engine[Symbol.asyncDispose]()
})

/** A shell that answers each line; it ends with code 3 for `stop`, and for SIGTERM with code 5. */
const talker = `trap "exit 5" TERM; echo ready; while read line; do case $line in stop) exit 3;; *) echo "heard: $line";; esac; done`

const shell = (script: string) => `sh -c "${script.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`

function server(script: string, more: { run?: object; environment?: object; data?: object; install?: object } = {}) {
  const { run, environment, ...rest } = more
  return [
    { command: shell(script), stop: 'stop', ...run },
    { environment: { type: 'docker', image: testImage, ...environment }, ...rest },
  ] as const
}

async function started(node: TestNode, ...[script, more]: Parameters<typeof server>): Promise<Watcher> {
  await node.client.create(id, ...server(script, more))
  const watcher = await node.client.watch(id)
  const { status, body } = await node.client.send(startServer, { params, query: wait })
  if (status !== 204) throw new Error(`${JSON.stringify(body)}: ${watcher.text}`)
  return watcher
}

const startNode = (options: { apart?: boolean } = {}) => TestNode.start({ ...options, dockerSocket: engine.socketPath })

const containersOf = (node: TestNode) =>
  engine.docker.listContainers({ all: true, filters: { label: [`innkeeper.data=${node.dataDir}`] } })

test('a server in a container prints, reads, is measured, sees its folder, and stops by its command', async () => {
  await using node = await startNode()
  const { client } = node
  const watcher = await started(node, `id; pwd; echo "$HOME $GREETING"; echo made > made; printf "name? "; ${talker}`, {
    run: { workingDirectory: 'world', environmentVars: { GREETING: 'hello \${who}' } },
    data: { who: { value: 'you' } },
    install: [{ type: 'mkdir', target: 'world' }],
  }).catch(async () => {
    await client.send(installServer, { params, query: wait })
    await client.send(startServer, { params, query: wait })
    return await client.watch(id)
  })
  watcher.send({ type: 'replay' })
  await watcher.untilText('name? ')
  await client.send(sendCommand, { params, body: 'hello' })
  await watcher.untilText('heard: hello')
  console.log(watcher.text)
})
