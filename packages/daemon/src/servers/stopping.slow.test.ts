import { getStatus, restartServer, stopServer } from '@innkeeper/contract/node-servers'
import { describe, expect } from 'vitest'
import { testOnClearedNode as test } from '../testing/node-test.ts'
import { startedByScript, startScripts } from '../testing/start-scripts.ts'

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
    const { watcher, linesOf } = await startedByScript(node, id, script, { run: { stopCode }, definition })

    await node.client.send(stopServer, { params, query: wait })

    expect((await node.client.send(getStatus, { params })).body.state).toBe('offline')
    expect(linesOf('saved').length).toBeGreaterThan(0)
    await watcher.untilText('all saved')
    // Bash goes on after SIGINT when the program that it waited for handled it.
    if (stopCode === 15) expect(linesOf('starts'), name).toEqual(['started'])
  })

  test('a restart saves too', async ({ node }) => {
    const definition = { environment: { type } }
    const { linesOf } = await startedByScript(node, id, startScripts.plain, { run: {}, definition })

    await node.client.send(restartServer, { params, query: wait })

    expect(linesOf('saved')).toEqual(['saved'])
  })
})
