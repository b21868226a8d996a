import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { startServer } from '@innkeeper/contract/servers/node-servers'
import { createTask, runTask } from '@innkeeper/contract/servers/tasks'
import type { TestNode } from './daemon.ts'

/** A game that saves when it is interrupted or terminated, which takes a moment and prints something. */
const gameSavingFor = (seconds: number) => `#!/bin/bash
trap 'echo saving; sleep ${seconds}; echo saved >> saved; echo all saved; exit 0' INT TERM
echo started >> starts
echo up
while :; do sleep 0.05; done
`

/** Scripts that start the game, as people write them. */
export const startScripts = {
  plain: './game.sh',
  'followed by a command': './game.sh; true',
  condition: 'if [ -x game.sh ]; then ./game.sh; else exit 1; fi',
  'filtered by a process substitution': './game.sh > >(while read -r line; do echo "log: $line"; done)',
  'filtered by a pipeline': './game.sh | cat',
  'a loop that starts it again': 'while true; do ./game.sh; sleep 0.1; done',
  'another script': 'bash ./inner.sh; true',
  'in the background': './game.sh & wait',
  'with a handler of its own': "trap 'kill -TERM $game; wait $game' TERM; ./game.sh & game=$!; wait $game",
} as const

/** Scripts by whose shells a signal does not reach the game by itself. */
const lostSignals = ['plain', 'a loop that starts it again', 'in the background'] as const

/** How a server is stopped other than by a user. */
const stops = {
  'a task': async ({ client }: TestNode, id: string) => {
    const operations = [{ type: 'power', action: 'stop' }]
    const { body } = await client.send(createTask, { params: { id }, body: { name: 'Night', operations } })
    const { status } = await client.send(runTask, { params: { id, task: body.id }, query: { wait: true } })
    if (status !== 204) throw new Error(`the task answered ${status}`)
  },
  'the shutdown of Innkeeper': ({ daemon }: TestNode) => daemon.stopServers(),
} as const

export const unattendedStops = Object.entries(stops).flatMap(([by, stop]) =>
  lostSignals.map((name) => ({ by, stop, name, script: startScripts[name] })),
)

interface Options {
  readonly run: object
  readonly definition: object
  readonly savesForSeconds?: number
}

/** Creates a server whose command is `bash ./start.sh`, starts it, and waits until its game prints `up`. */
export async function startedByScript(node: TestNode, id: string, script: string, options: Options) {
  const { client } = node
  await client.create(id, { command: 'bash ./start.sh', ...options.run }, options.definition)
  const folder = join(node.dataDir, 'servers', id)
  const game = gameSavingFor(options.savesForSeconds ?? 0.5)
  const files = { 'start.sh': script, 'inner.sh': './game.sh', 'game.sh': game }
  for (const [name, text] of Object.entries(files)) {
    writeFileSync(join(folder, name), text)
    chmodSync(join(folder, name), 0o755)
  }
  const watcher = await client.watch(id)
  const { body } = await client.send(startServer, { params: { id }, query: { wait: true } })
  if (body?.error) throw new Error(JSON.stringify(body))
  await watcher.untilText('up')
  const getLines = (name: string) => {
    const path = join(folder, name)
    return existsSync(path) ? readFileSync(path, 'utf8').trim().split('\n') : []
  }
  return { watcher, getLines }
}
