import { readdir } from 'node:fs/promises'
import { getStatus, restartServer, stopServer } from '@innkeeper/contract/servers/node-servers'
import { expect, vi } from 'vitest'
import { id, params, readContainers, slowWait, started, wait } from '../../testing/containers.ts'
import type { TestNode } from '../../testing/daemon.ts'
import { TestEngine, testImage } from '../../testing/engine.ts'
import { testWithEngine } from '../../testing/engine-test.ts'
import { startedByScript, startScripts, unattendedStops } from '../../testing/start-scripts.ts'

const test = testWithEngine(() => TestEngine.create())

/** A container with the bash of this machine. */
async function contained() {
  const folders = (await readdir('/')).filter((name) => /^(?:usr|bin|lib.*)$/.test(name))
  const bindings = Object.fromEntries(folders.map((name) => [`/${name}`, `/${name}`]))
  return { environment: { type: 'docker', image: testImage, networkMode: 'none', bindings } }
}

const readState = async ({ client }: TestNode) => (await client.send(getStatus, { params })).body.state

test.for(
  Object.entries(startScripts).flatMap(([name, script]) => [15, 2].map((stopCode) => ({ name, script, stopCode }))),
)(
  'a game behind a start script ($name) saves on signal $stopCode',
  async ({ name, script, stopCode }, { engine, startNode }) => {
    // A shell starts background programs with SIGINT ignored, so that they cannot react to it.
    if (stopCode === 2 && script.includes('game.sh &')) return
    await using node = await startNode()
    const options = { run: { stopCode }, definition: await contained() }
    const { watcher, getLines } = await startedByScript(node, id, script, options)

    await node.client.send(stopServer, { params, query: wait })

    expect(await readState(node)).toBe('offline')
    await watcher.untilText('all saved')
    expect(getLines('saved').length).toBeGreaterThan(0)
    // Bash goes on after SIGINT when the program that it waited for handled it.
    if (stopCode === 15) expect(getLines('starts'), name).toEqual(['started'])
    await expect.poll(() => readContainers(node, engine), { timeout: 10_000 }).toEqual([])
  },
)

test.for(unattendedStops)(
  'a game behind a start script ($name) saves when $by stops it',
  async ({ stop, script }, { engine, startNode }) => {
    await using node = await startNode()
    const { getLines } = await startedByScript(node, id, script, { run: {}, definition: await contained() })

    await stop(node, id)

    expect(await readState(node)).toBe('offline')
    expect(getLines('saved')).toEqual(['saved'])
    expect(getLines('starts')).toEqual(['started'])
    await expect.poll(() => readContainers(node, engine), { timeout: 10_000 }).toEqual([])
  },
)

test('a restart saves too', async ({ startNode }) => {
  await using node = await startNode()
  const { getLines } = await startedByScript(node, id, startScripts.plain, { run: {}, definition: await contained() })

  await node.client.send(restartServer, { params, query: wait })

  expect(getLines('saved')).toEqual(['saved'])
})

test('a stop goes on after a kill -9 of the daemon', { timeout: 90_000 }, async ({ engine, startNode }) => {
  await using node = await startNode({ apart: true })
  const options = { run: {}, definition: await contained(), savesForSeconds: 8 }
  const { watcher, getLines } = await startedByScript(node, id, startScripts.plain, options)
  await node.client.send(stopServer, { params })
  await watcher.untilText('saving')

  await node.kill()
  await node.start()

  await vi.waitFor(async () => expect(await readState(node)).toBe('offline'), { ...slowWait, timeout: 40_000 })
  expect(getLines('saved')).toEqual(['saved'])
  await expect.poll(() => readContainers(node, engine), { timeout: 10_000 }).toEqual([])
})

test('what does not end with its script is named, and ends with the stop time', async ({ startNode }) => {
  await using node = await startNode()
  const script = "(trap '' TERM; exec sleep 60) & trap 'exit 3' TERM; echo up; wait"
  const watcher = await started(node, script, { run: { stopCode: 15, stopTimeout: 4 } })
  await watcher.untilText('up')

  await node.client.send(stopServer, { params, query: wait })

  await watcher.untilText('Server exited with code 3')
  expect(watcher.text).toContain('Still running: sleep. Waiting for them to end')
})

test('a stop command that is not read is replaced by SIGTERM', async ({ startNode }) => {
  await using node = await startNode()
  const script = "trap 'echo saved; exit 0' TERM; echo up; while :; do sleep 0.05; done"
  const watcher = await started(node, script, { run: { stop: 'quit', stopTimeout: 6 } })
  await watcher.untilText('up')

  await node.client.send(stopServer, { params, query: wait })

  await watcher.untilText('Server exited with code 0')
  expect(watcher.text).toContain('does not read its input, so that it gets SIGTERM')
  expect(watcher.text).toContain('saved')
})
