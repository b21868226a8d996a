import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  getStatus,
  killServer,
  restartServer,
  sendCommand,
  startServer,
  stopServer,
} from '@innkeeper/contract/servers/node-servers'
import { describe, expect, vi } from 'vitest'
import { getRunFolder, RunFolder } from '../keeper/protocol.ts'
import { readStates } from '../keeper/state-file.ts'
import { sendSignal } from '../proc/process-stat.ts'
import { TestNode } from '../testing/daemon.ts'
import { testOnClearedNode as test, test as testOnOwnNode } from '../testing/node-test.ts'
import { startedByScript, startScripts, unattendedStops } from '../testing/start-scripts.ts'

const id = '0a0a0a0a'
const params = { id }
const wait = { wait: true }

describe.each(['standard', 'tty'])('in the environment %s', (type) => {
  test.for(
    Object.entries(startScripts).flatMap(([name, script]) => [15, 2].map((stopCode) => ({ name, script, stopCode }))),
  )('a game behind a start script ($name) saves on signal $stopCode', async ({ name, script, stopCode }, { node }) => {
    // A shell starts background programs with SIGINT ignored, so that they cannot react to it.
    if (stopCode === 2 && script.includes('game.sh &')) return
    const definition = { environment: { type } }
    const { watcher, getLines } = await startedByScript(node, id, script, { run: { stopCode }, definition })

    await node.client.send(stopServer, { params, query: wait })

    expect((await node.client.send(getStatus, { params })).body.state).toBe('offline')
    expect(getLines('saved').length).toBeGreaterThan(0)
    await watcher.untilText('all saved')
    // Bash goes on after SIGINT when the program that it waited for handled it.
    if (stopCode === 15) expect(getLines('starts'), name).toEqual(['started'])
  })

  test.for(unattendedStops)(
    'a game behind a start script ($name) saves when $by stops it',
    async ({ stop, script }, { node }) => {
      const definition = { environment: { type } }
      const { getLines } = await startedByScript(node, id, script, { run: {}, definition })

      await stop(node, id)

      expect((await node.client.send(getStatus, { params })).body.state).toBe('offline')
      expect(getLines('saved')).toEqual(['saved'])
      expect(getLines('starts')).toEqual(['started'])
    },
  )

  test('a restart saves too', async ({ node }) => {
    const definition = { environment: { type } }
    const { getLines } = await startedByScript(node, id, startScripts.plain, { run: {}, definition })

    await node.client.send(restartServer, { params, query: wait })

    expect(getLines('saved')).toEqual(['saved'])
  })
})

test.for(['standard', 'tty'])(
  'in the environment %s a stop goes on after a kill -9 of the daemon',
  { timeout: 90_000 },
  async (type) => {
    await using node = await TestNode.start({ apart: true })
    const options = { run: {}, definition: { environment: { type } }, savesForSeconds: 8 }
    const { watcher, getLines } = await startedByScript(node, id, startScripts['a loop that starts it again'], options)
    await node.client.send(stopServer, { params })
    await watcher.untilText('saving')

    await node.kill()
    await node.start()

    const state = async () => (await node.client.send(getStatus, { params })).body.state
    await vi.waitFor(async () => expect(await state()).toBe('offline'), { timeout: 40_000, interval: 100 })
    expect(getLines('saved')).toEqual(['saved'])
    expect(getLines('starts')).toEqual(['started'])
  },
)

/** Creates and starts a server that runs a bash script. */
async function startedScript({ client, dataDir }: TestNode, script: string, run: object, environment = 'standard') {
  await client.create(id, { command: 'bash ./run.sh', ...run }, { environment: { type: environment } })
  writeFileSync(join(dataDir, 'servers', id, 'run.sh'), script, { mode: 0o755 })
  const watcher = await client.watch(id)
  await client.send(startServer, { params, query: wait })
  await watcher.untilText('up')
  return watcher
}

test('what does not end with its script is named, and killed when the stop time is over', async ({ node }) => {
  const script = "(trap '' TERM; echo up; exec sleep 60) & trap 'echo script ends; exit 3' TERM; wait"
  const watcher = await startedScript(node, script, { stopCode: 15, stopTimeout: 3 })

  await node.client.send(stopServer, { params, query: wait })

  await watcher.untilText('Server exited with code 3')
  expect(watcher.text).toMatch(/Still running: sleep\. Waiting for them to end, for at most \d s\n/)
  expect(watcher.text).toContain('Killed what had not ended in the stop time: sleep')
})

test('Kill does not wait for the stop time', async ({ node }) => {
  const watcher = await startedScript(node, "trap '' TERM; echo up; while :; do sleep 1; done", { stopCode: 15 })
  await node.client.send(stopServer, { params })
  await watcher.untilText('told to stop')

  const { status } = await node.client.send(killServer, { params, query: wait })

  expect(status).toBe(204)
  expect((await node.client.send(getStatus, { params })).body.state).toBe('offline')
})

test.for(['standard', 'tty'])(
  'in the environment %s a stop command that is not read is replaced by SIGTERM',
  async (type, { node }) => {
    const script = "trap 'echo saved; exit 0' TERM; echo up; while :; do sleep 0.05; done"
    const watcher = await startedScript(node, script, { stop: 'quit', stopTimeout: 6 }, type)

    await node.client.send(stopServer, { params, query: wait })

    await watcher.untilText('Server exited with code 0')
    expect(watcher.text).toContain('does not read its input, so that it gets SIGTERM')
    expect(watcher.text).toContain('saved')
  },
)

test('a stop command that a game discarded is written again', async ({ node }) => {
  const script = 'echo up; read -r discarded; read -r line; echo "got $line"; [ "$line" = quit ]'
  const watcher = await startedScript(node, script, { stop: 'quit', stopTimeout: 6 })

  await node.client.send(stopServer, { params, query: wait })

  await watcher.untilText('Server exited with code 0')
  expect(watcher.text).toContain('got quit')
})

/** Runs only the first of several lines that arrive in one read, like OpenTTD. */
const firstLineOnly = `
process.stdout.write('up\\n')
process.stdin.on('data', (data) => {
  const [line] = String(data).split('\\n')
  process.stdout.write('ran ' + line + '\\n')
  if (line === 'quit') process.exit(0)
})
`

test('a game that runs only the first of several lines gets them one by one', async ({ node }) => {
  const { client, dataDir } = node
  await client.create(id, { command: 'node game.js', stop: 'quit', stopDelayMs: 150 })
  writeFileSync(join(dataDir, 'servers', id, 'game.js'), firstLineOnly)
  const watcher = await client.watch(id)
  await client.send(startServer, { params, query: wait })
  await watcher.untilText('up')

  await client.send(sendCommand, { params, body: 'save\nclients' })
  await client.send(sendCommand, { params, body: 'list' })
  await client.send(stopServer, { params, query: wait })

  await watcher.untilText('Server exited with code 0')
  expect(watcher.text.match(/(?<=ran ).*/g)).toEqual(['save', 'clients', 'list', 'quit'])
})

test('a program that goes to the background is named', async ({ node }) => {
  const watcher = await startedScript(node, 'setsid sleep 60 & sleep 0.3; echo up', {})

  await watcher.untilText('Server exited with code 0')

  expect(watcher.text).toContain('The server left 1 process in the background: sleep. It was ended with it.')
  expect(watcher.text).toContain('use its option to stay in the foreground')
})

testOnOwnNode('without its keeper a server refuses commands, says so, and is stopped by SIGTERM', async ({ node }) => {
  const { client, dataDir } = node
  const script = "trap 'echo saved >> saved; exit 0' TERM; echo up; while :; do sleep 0.05; done"
  const watcher = await startedScript(node, script, { stop: 'quit' })
  using folder = new RunFolder(getRunFolder(dataDir))
  const [state] = await readStates(folder, () => {})
  if (!state) throw new Error('no keeper')

  sendSignal(state.keeper, 'SIGKILL')
  await watcher.untilText('Commands do not reach the server')
  const refused = await client.send(sendCommand, { params, body: 'clients' })
  const stopped = await client.send(stopServer, { params, query: wait })

  expect(refused).toMatchObject({ status: 409, body: { error: { code: 'ErrConsoleLost' } } })
  expect(stopped.status).toBe(204)
  await vi.waitFor(() => expect(watcher.text).toContain('gets SIGTERM instead of its stop command'))
})
