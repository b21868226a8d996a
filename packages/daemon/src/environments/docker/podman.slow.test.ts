import { getStats, sendCommand, startServer, stopServer } from '@innkeeper/contract/servers/node-servers'
import { expect, vi } from 'vitest'
import {
  contained,
  params,
  readContainers,
  slowWait,
  started,
  talker,
  wait,
  watchAgain,
} from '../../testing/containers.ts'
import { TestEngine } from '../../testing/engine.ts'
import { testWithEngine } from '../../testing/engine-test.ts'

const test = testWithEngine(() => TestEngine.createPodman())

test('Podman’s socket works as well: servers start, print, read, are measured and stop', async ({
  engine,
  startNode,
}) => {
  await using node = await startNode()
  const other = '0b0b0b0b'
  await node.client.create(other, ...contained(talker))
  const others = await node.client.watch(other)
  const [watcher] = await Promise.all([
    started(node, talker),
    node.client.send(startServer, { params: { id: other }, query: wait }),
  ])
  await Promise.all([watcher.untilText('ready'), others.untilText('ready')])

  await node.client.send(sendCommand, { params, body: 'there' })
  await watcher.untilText('heard: there')
  await vi.waitFor(async () => {
    const { body } = await node.client.send(getStats, { params })
    expect(body.memory).toBeGreaterThan(0)
    expect(body.diskRead).toBeGreaterThanOrEqual(0)
    // It shares the network of its node.
    expect(body.networkIn).toBeUndefined()
  }, slowWait)
  await node.client.send(stopServer, { params, query: wait })

  await watcher.untilText('Server exited with code 3')
  await vi.waitFor(async () => expect(await readContainers(node, engine)).toHaveLength(1), slowWait)
})

test('a Podman container survives a crash of the daemon, and its console continues where it was', async ({
  startNode,
}) => {
  await using node = await startNode({ apart: true })
  const watcher = await started(node, `at=0; while :; do echo "line $at."; at=$((at+1)); sleep 0.02; done`)
  await watcher.untilText('line 5.')

  await node.kill()
  await node.start()

  const again = await watchAgain(node)
  await again.untilText('line 0.')
  await again.untilText('line 30.')
  // Lines that are printed before the replay are repeated in it.
  const replayed = again.text.slice(again.text.lastIndexOf('line 0.'))
  const numbers = [...replayed.matchAll(/line (\d+)\./g)].map(([, number]) => Number(number))
  expect(numbers).toEqual(numbers.map((_, at) => at))
  expect(again.text.replace(/^\[DAEMON\].*$|^line \d+\.\r?$/gm, '').trim()).toBe('')
})

test('files that a container reads are no memory of the server', async ({ startNode }) => {
  await using node = await startNode()
  const script = 'dd if=/dev/zero of=large bs=1M count=150 2>/dev/null; cat large > /dev/null; echo read; sleep 1000'
  const watcher = await started(node, script, { environment: { limits: { memory: 100 } } })
  await watcher.untilText('\nread')

  await vi.waitFor(async () => {
    const { body } = await node.client.send(getStats, { params })
    expect(body.memory).toBeGreaterThan(0)
    expect(body.memory).toBeLessThan(60 * 1024 ** 2)
  }, slowWait)
})
