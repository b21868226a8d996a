import { createTask, deleteTask, listTaskRuns, type TaskRun } from '@innkeeper/contract/servers/tasks'
import { expect, test, vi } from 'vitest'
import { program, TestNode } from '../testing/daemon.ts'
import { hang, server, taskProcess } from '../testing/task-node.ts'

const slowWait = { timeout: 15_000, interval: 50 }

test('after kill -9 a run is recorded as interrupted, and all missed times count as one', {
  timeout: 60_000,
}, async () => {
  await using node = await TestNode.start({ apart: true })
  await node.client.create(server, program('echo'))
  const created = await node.client.send(createTask, {
    params: { id: server },
    body: { name: 'Hang', cronSchedule: '* * * * * *', catchUp: true, operations: [hang] },
  })
  const params = { id: server, task: created.body.id }
  const runs = async (): Promise<TaskRun[]> => (await node.client.send(listTaskRuns, { params })).body
  await vi.waitFor(async () => expect((await runs()).at(-1)?.step).toBe(1), slowWait)
  const [first] = (await runs()).slice(-1)

  await node.kill()
  await node.start()

  await vi.waitFor(async () => expect((await runs()).length).toBeGreaterThan(1), slowWait)
  const all = await runs()
  expect(all.at(-1)).toMatchObject({ id: first?.id, result: 'interrupted' })
  expect(all.filter(({ cause, result }) => cause === 'missed' && result !== 'skipped').length).toBeLessThanOrEqual(1)
  await node.client.send(deleteTask, { params })
  await vi.waitFor(async () => expect(await taskProcess(node, server)).toBeUndefined(), slowWait)
})
