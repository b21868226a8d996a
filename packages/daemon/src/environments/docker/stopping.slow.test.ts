import { readdir } from 'node:fs/promises'
import { getStatus, stopServer } from '@innkeeper/contract/node-servers'
import { expect } from 'vitest'
import { containersOf, id, params, wait } from '../../testing/containers.ts'
import type { TestNode } from '../../testing/daemon.ts'
import { TestEngine, testImage } from '../../testing/engine.ts'
import { testWithEngine } from '../../testing/engine-test.ts'
import { startedByScript, startScripts } from '../../testing/start-scripts.ts'

const test = testWithEngine(() => TestEngine.create())

/** A container with the bash of this machine. */
async function contained() {
  const folders = (await readdir('/')).filter((name) => /^(?:usr|bin|lib.*)$/.test(name))
  const bindings = Object.fromEntries(folders.map((name) => [`/${name}`, `/${name}`]))
  return { environment: { type: 'docker', image: testImage, networkMode: 'none', bindings } }
}

const stateOf = async ({ client }: TestNode) => (await client.send(getStatus, { params })).body.state

test.for(
  Object.entries(startScripts).flatMap(([name, script]) => [15, 2].map((stopCode) => ({ name, script, stopCode }))),
)(
  'a game behind a start script ($name) saves on signal $stopCode',
  async ({ name, script, stopCode }, { engine, startNode }) => {
    // A shell starts background programs with SIGINT ignored, so that they cannot react to it.
    if (stopCode === 2 && script.includes('game.sh &')) return
    await using node = await startNode()
    const options = { run: { stopCode }, definition: await contained() }
    const { watcher, linesOf } = await startedByScript(node, id, script, options)

    await node.client.send(stopServer, { params, query: wait })

    expect(await stateOf(node)).toBe('offline')
    await watcher.untilText('all saved')
    expect(linesOf('saved').length).toBeGreaterThan(0)
    // Bash goes on after SIGINT when the program that it waited for handled it.
    if (stopCode === 15) expect(linesOf('starts'), name).toEqual(['started'])
    await expect.poll(() => containersOf(node, engine), { timeout: 10_000 }).toEqual([])
  },
)
