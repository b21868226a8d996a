import { getStatus, startServer } from '@innkeeper/contract/servers/node-servers'
import type { TestNode, Watcher } from './daemon.ts'
import { type TestEngine, testImage } from './engine.ts'

/** The default server of container tests. */
export const id = '0a0a0a0a'
export const params = { id }
export const wait = { wait: true }
export const slowWait = { timeout: 15_000, interval: 50 }

/** A shell that answers each line; exits with code 3 on `stop`, and with code 5 on SIGTERM. */
export const talker =
  'trap "exit 5" TERM; echo ready; while read line; do case $line in stop) exit 3;; *) echo "heard: $line";; esac; done'

interface More {
  readonly run?: { readonly environmentVars?: object; readonly [field: string]: unknown }
  readonly environment?: object
  readonly data?: object
  readonly install?: object
  readonly liveness?: object
}

/** A server that runs a shell script in a container; the console does not show the script. */
export function contained(script: string, { run, environment, ...rest }: More = {}) {
  const { environmentVars, ...others } = run ?? {}
  const command = 'sh -c "eval \\"$SCRIPT\\""'
  return [
    { command, stop: 'stop', environmentVars: { SCRIPT: script, ...environmentVars }, ...others },
    { environment: { type: 'docker', image: testImage, ...environment }, ...rest },
  ] as const
}

/** Creates and starts one; fails when it does not start. */
export async function started(node: TestNode, ...[script, more]: Parameters<typeof contained>): Promise<Watcher> {
  await node.client.create(id, ...contained(script, more))
  const watcher = await node.client.watch(id)
  const { body } = await node.client.send(startServer, { params, query: wait })
  if (body?.error) throw new Error(`${JSON.stringify(body)}: ${watcher.text}`)
  return watcher
}

/** A viewer that also gets earlier output. */
export async function watchAgain(node: TestNode): Promise<Watcher> {
  const watcher = await node.client.watch(id)
  watcher.send({ type: 'replay' })
  return watcher
}

/** The containers of a node in an engine, running or not. */
export async function readContainers(node: TestNode, engine: TestEngine) {
  return await engine.docker.listContainers({ all: true, filters: { label: [`innkeeper.data=${node.dataDir}`] } })
}

/** Removes every container; the node may do so concurrently. */
export async function clear(engine: TestEngine): Promise<void> {
  const containers = await engine.docker.listContainers({ all: true })
  await Promise.allSettled(containers.map(({ Id }) => engine.docker.getContainer(Id).remove({ force: true })))
}

export const readState = async (node: TestNode) => (await node.client.send(getStatus, { params })).body.state
