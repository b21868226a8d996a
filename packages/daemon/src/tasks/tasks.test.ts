import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { RequiredPermission } from '@innkeeper/contract/api/permissions'
import type { Step } from '@innkeeper/contract/definitions/operations'
import { getDefinition, putDefinition } from '@innkeeper/contract/definitions/server-definition'
import { getConsole, getStatus, sendCommand, startServer, stopServer } from '@innkeeper/contract/servers/node-servers'
import {
  cancelTask,
  createTask,
  deleteTask,
  listTasks,
  putTask,
  runTask,
  type TaskView,
} from '@innkeeper/contract/servers/tasks'
import { limits } from '@innkeeper/contract/text/limits'
import { describe, expect, vi } from 'vitest'
import { maxTasks } from '../servers/task-owners.ts'
import { program, TestNode } from '../testing/daemon.ts'
import { slowOutput, slowPattern } from '../testing/slow-pattern.ts'
import { hang, say, taskProcess, test } from '../testing/task-node.ts'
import { maxRunningTasksPerServer } from './tasks.ts'

/** Generous for busy machines; every wait is for a state. */
const slowWait = { timeout: 15_000, interval: 50 }

describe('schedules', () => {
  test('a task runs every second, and prints to the console', async ({
    fixture: { node, task, until, view, server },
  }) => {
    const key = await task({ name: 'Tick', cronSchedule: '* * * * * *', operations: [say('tock')] })

    const runs = await until(key, 'two runs', (all) => all.filter(({ result }) => result === 'done').length >= 2)

    const done = runs.filter(({ result }) => result === 'done')
    for (const run of done) expect(run).toMatchObject({ cause: 'schedule', lines: ['Executing: echo tock', 'tock'] })
    expect(Date.parse((await view(key)).nextRun ?? '')).toBeGreaterThan(Date.parse(done[0]?.startedAt ?? ''))
    const { logs } = (await node.client.send(getConsole, { params: { id: server } })).body
    expect(logs).toMatch(/\[DAEMON\] Running task Tick\n[\s\S]*tock\n\[DAEMON\] Task Tick finished\n/)
  })

  test('an active task is not run concurrently, and skipped runs are one entry', async ({ fixture }) => {
    const { node, server, task, until } = fixture
    const key = await task({ cronSchedule: '* * * * * *', operations: [hang] })
    await until(key, 'a time that passed meanwhile', (all) => all[0]?.result === 'skipped')

    await node.client.send(cancelTask, { params: { id: server, task: key } })

    const runs = await until(key, 'an end', (all) => all.some(({ result }) => result === 'cancelled'))
    expect(runs.filter(({ result }) => result === 'skipped')).toMatchObject([{ refusal: { code: 'ErrTaskSkipped' } }])
    expect(runs.find(({ result }) => result === 'cancelled')).toMatchObject({ refusal: { code: 'ErrCancelled' } })
  })
})

test('tasks that come due too often are dropped and report a problem, but can be run manually', async ({ fixture }) => {
  const { node, server, until, view } = fixture
  const params = { id: server }
  const tick = { name: 'Tick', cronSchedule: '* * * * * *', operations: [{ type: 'console', message: 'tock' }] }
  const { body: definition } = await node.client.send(getDefinition, { params })
  const tasks = Object.fromEntries(Array.from({ length: maxTasks }, (_, at) => [`tick${at}`, tick]))
  await node.client.send(putDefinition, { params, body: { ...definition, tasks } })
  const all = async (): Promise<TaskView[]> =>
    Object.values((await node.client.send(listTasks, { params })).body.tasks as Record<string, TaskView>)

  const leftOut = await vi.waitFor(async () => {
    const found = (await all()).filter(({ refusal }) => refusal?.code === 'ErrTaskTooFrequent')
    expect(found.length).toBeGreaterThan(20)
    return found
  }, slowWait)

  expect(leftOut[0]?.problem).toContain('run too often')
  const ran = (await all()).filter(({ lastRun }) => lastRun !== undefined)
  expect(ran.length).toBeGreaterThan(0)
  expect((await node.client.send(runTask, { params: { ...params, task: 'tick99' } })).status).toBe(202)
  await until('tick99', 'a run by hand', (runs) => runs.some(({ cause }) => cause === 'person'))
  expect(await view('tick99')).toMatchObject({ name: 'Tick' })
})

describe('manual runs', () => {
  test('it runs immediately, beside the running server, with its variables', async ({ fixture }) => {
    const { node, server, task, runs, user } = fixture
    const params = { id: server }
    await node.client.send(startServer, { params, query: { wait: true } })
    const key = await task({ operations: [say('${serverId}'), { type: 'stdin', command: 'list' }] })

    const { status } = await node.client.send(runTask, { params: { ...params, task: key }, query: { wait: true } })

    expect(status).toBe(204)
    const [run] = await runs(key)
    expect(run).toMatchObject({ cause: 'person', by: user.id, result: 'done' })
    expect(Date.parse(run?.endedAt ?? '')).toBeGreaterThanOrEqual(Date.parse(run?.startedAt ?? ''))
    expect(run?.lines).toContain(server)
    await vi.waitFor(async () => {
      expect((await node.client.send(getConsole, { params })).body.logs).toContain('echo: list')
    }, slowWait)
  })

  test('sleeping runs do not block others', async ({ fixture }) => {
    const { node, server, task, until } = fixture
    const doze = { type: 'sleep', duration: '1h' }
    const sleepers = Array.from({ length: maxRunningTasksPerServer }, () => task({ operations: [doze] }))
    for (const key of await Promise.all(sleepers)) {
      await node.client.send(runTask, { params: { id: server, task: key } })
      await until(key, 'sleep', ([run]) => run?.step === 1)
    }

    const other = await task({ operations: [say('awake')] })
    await node.client.send(runTask, { params: { id: server, task: other } })

    await until(other, 'an end', ([run]) => run?.result === 'done')
  })

  test('runs of other servers that take long do not block a server', async () => {
    await using node = await TestNode.start({ tasks: { sharedMs: 100 } })
    const run = async (id: string, operations: Step[], wait = false) => {
      const { body } = await node.client.send(createTask, { params: { id }, body: { name: 'Chore', operations } })
      return await node.client.send(runTask, { params: { id, task: body.id }, query: { wait } })
    }
    for (const id of ['0b0b0b01', '0b0b0b02', '0b0b0b03', '0b0b0b04']) await node.client.create(id, program('echo'))
    for (const id of ['0b0b0b01', '0b0b0b02', '0b0b0b03'])
      for (let at = 0; at < maxRunningTasksPerServer; at++) await run(id, [hang])

    const other = await run('0b0b0b04', [say('awake')], true)

    expect(other.status).toBe(204)
  })

  test('runs per server are limited; another one begins when one ends', async ({ fixture }) => {
    const { node, server, task, until, runs } = fixture
    const run = async (operations: Step[]) => {
      const key = await task({ operations })
      await node.client.send(runTask, { params: { id: server, task: key } })
      return key
    }
    const [first = ''] = await Promise.all(Array.from({ length: maxRunningTasksPerServer }, () => run([hang])))
    await until(first, 'a step at work', ([one]) => one?.step === 1)
    const waiting = await run([say('at last')])

    await node.client.send(cancelTask, { params: { id: server, task: first } })

    const [last] = await until(waiting, 'an end', ([one]) => one?.result === 'done')
    const [ended] = await runs(first)
    expect(Date.parse(last?.startedAt ?? '')).toBeGreaterThanOrEqual(Date.parse(ended?.endedAt ?? ''))
  })

  test.for<[string, Step, string, object]>([
    [
      'a server that should run',
      { type: 'stdin', command: 'list' },
      'The server is not running',
      { code: 'ErrServerOffline' },
    ],
    [
      'a program that should go well',
      { type: 'command', commands: ['false'], stopOnError: true },
      'false ended with exit code 1',
      { code: 'ErrCommandFailed', metadata: { command: 'false', code: 1 } },
    ],
    [
      'a file that should be there',
      { type: 'alterfile', file: 'none.txt', search: 'a', regex: false },
      'File not found: /none.txt',
      { code: 'ErrFileNotFound', metadata: { path: '/none.txt' } },
    ],
  ])('%s, the run fails with a reason, as text and for translation', async ([, step, reason, refusal], { fixture }) => {
    const { node, server, task, runs } = fixture
    const key = await task({ operations: [say('first'), step, say('never')] })

    const asking = { params: { id: server, task: key }, query: { wait: true } }
    const { status, body } = await node.client.send(runTask, asking)

    expect([status, body.error.code]).toEqual([409, 'ErrStepFailed'])
    expect((await runs(key))[0]).toMatchObject({ result: 'failed', step: 2, reason, refusal })
  })

  test('it starts and stops the server, and waits for that', async ({ fixture }) => {
    const { node, server, task } = fixture
    const key = await task({ operations: [{ type: 'power', action: 'restart' }] })
    const asking = { params: { id: server, task: key }, query: { wait: true } }

    expect((await node.client.send(runTask, asking)).status).toBe(204)
    expect((await node.client.send(getStatus, { params: { id: server } })).body.state).toBe('online')
    const stop = await task({ operations: [{ type: 'power', action: 'stop' }] })
    expect((await node.client.send(runTask, { ...asking, params: { id: server, task: stop } })).status).toBe(204)
    expect((await node.client.send(getStatus, { params: { id: server } })).body.state).toBe('offline')
  })

  test('during a run another one is refused, and canceling ends the run', async ({ fixture }) => {
    const { node, server, task, until, view } = fixture
    const key = await task({ operations: [hang] })
    const asking = { params: { id: server, task: key } }
    expect((await node.client.send(runTask, asking)).status).toBe(202)
    await until(key, 'a step at work', ([run]) => run?.step === 1)

    expect((await view(key)).isRunning).toBe(true)
    expect((await node.client.send(runTask, asking)).body.error.code).toBe('ErrTaskRunning')
    expect((await node.client.send(deleteTask, asking)).status).toBe(204)

    await vi.waitFor(async () => expect(await taskProcess(node, server)).toBeUndefined(), slowWait)
    await vi.waitFor(async () => {
      const { logs } = (await node.client.send(getConsole, { params: { id: server } })).body
      expect(logs).toContain('Task Chore was canceled')
    }, slowWait)
  })
})

describe('events', () => {
  test('a crash triggers one task, a requested stop another one, each with its cause', async ({ fixture }) => {
    const { node, server, task, until, runs } = fixture
    const params = { id: server }
    const onCrash = await task({ triggers: [{ event: 'crashed' }] })
    const onStop = await task({ triggers: [{ event: 'stopped' }] })
    const onStart = await task({ triggers: [{ event: 'started' }] })
    await node.client.send(startServer, { params, query: { wait: true } })
    process.kill((await node.findProcess(`${server}/main`)) ?? 0, 'SIGSEGV')

    const [crash] = await until(onCrash, 'a run after the crash', ([run]) => run?.result === 'done')
    expect(crash).toMatchObject({ cause: 'event', event: 'crashed' })
    await node.client.send(startServer, { params, query: { wait: true } })
    await node.client.send(stopServer, { params, query: { wait: true } })

    await until(onStop, 'a run after the stop', ([run]) => run?.result === 'done')
    await until(onStart, 'a run after each start', (all) => all.length === 2)
    expect([(await runs(onCrash)).length, (await runs(onStop)).length]).toEqual([1, 1])
  })

  test('a matching console line triggers it, but not messages of the daemon', async ({ fixture }) => {
    const { node, server, task, until, runs } = fixture
    const key = await task({ name: 'Greet', triggers: [{ event: 'console', pattern: '^echo: (?P<who>\\w+) joined$' }] })
    const other = await task({ triggers: [{ event: 'console', pattern: 'Greet' }] })
    await node.client.send(startServer, { params: { id: server }, query: { wait: true } })

    await node.client.send(sendCommand, { params: { id: server }, body: 'Ann joined' })

    const [run] = await until(key, 'a run', ([one]) => one?.result === 'done')
    expect(run).toMatchObject({ cause: 'event', event: 'console' })
    expect(await runs(other)).toEqual([])
  })

  test('a pattern that takes too long is disabled, and its task reports it until it is saved', async ({ fixture }) => {
    const { node, server, task, view } = fixture
    const params = { id: server }
    const key = await task({ triggers: [{ event: 'console', pattern: slowPattern }] })
    expect(await view(key)).not.toHaveProperty('refusal')
    writeFileSync(join(node.dataDir, 'servers', server, 'slow.txt'), slowOutput(160))
    const { body: definition } = await node.client.send(getDefinition, { params })
    await node.client.send(putDefinition, { params, body: { ...definition, run: { command: 'cat slow.txt' } } })

    await node.client.send(startServer, { params, query: { wait: true } })

    await vi.waitFor(
      async () => expect(await view(key)).toMatchObject({ refusal: { code: 'ErrTaskSlowPattern' } }),
      slowWait,
    )
    const body = { name: 'Chore', operations: [], triggers: [{ event: 'console', pattern: 'b$' }] }
    await node.client.send(putTask, { params: { ...params, task: key }, body })
    expect(await view(key)).not.toHaveProperty('refusal')
  })

  test('a task does not trigger itself, not even through another one', async ({ fixture }) => {
    const { node, server, task, until, runs } = fixture
    const power = (action: string, wait: boolean) => [{ type: 'power', action, wait }]
    const restart = await task({ triggers: [{ event: 'started' }], operations: power('restart', false) })
    const start = await task({ triggers: [{ event: 'stopped' }], operations: power('start', true) })
    const answer = await task({
      triggers: [{ event: 'console', pattern: 'echo: again' }],
      operations: [{ type: 'stdin', command: 'again' }],
    })
    const params = { id: server }
    await node.client.send(startServer, { params, query: { wait: true } })
    await until(restart, 'the restart', ([run]) => run?.result === 'done')
    await until(start, 'what the stop of it set off', ([run]) => run?.result === 'done')
    const isUp = async () => expect((await node.client.send(getStatus, { params })).body.state).toBe('online')
    await vi.waitFor(isUp, slowWait)

    await node.client.send(sendCommand, { params, body: 'again' })
    await until(answer, 'an answer', ([run]) => run?.result === 'done')
    // Another task triggered by the same line, later: everything before it has happened.
    const last = await task({ triggers: [{ event: 'console', pattern: 'echo: over' }] })
    await node.client.send(sendCommand, { params, body: 'over' })
    await until(last, 'the last line', ([run]) => run?.result === 'done')

    expect([(await runs(restart)).length, (await runs(start)).length, (await runs(answer)).length]).toEqual([1, 1, 1])
  })

  test('a server is started once it is ready; a restart triggered by that does not repeat', async ({ fixture }) => {
    const { node, server, task, until, runs } = fixture
    const params = { id: server }
    const run = { command: program('echo'), stop: 'stop', readyPattern: '^echo: up$' }
    await node.client.send(putDefinition, { params, body: { type: 'test', run } })
    const restart = await task({
      triggers: [{ event: 'started' }],
      operations: [{ type: 'power', action: 'restart', wait: true }],
    })
    const become = async (state: string) =>
      vi.waitFor(
        async () => expect((await node.client.send(getStatus, { params })).body).toMatchObject({ state }),
        slowWait,
      )
    await node.client.send(startServer, { params, query: { wait: true } })
    await become('starting')
    expect(await runs(restart)).toEqual([])

    await node.client.send(sendCommand, { params, body: 'up' })
    await until(restart, 'the restart', ([one]) => one?.result === 'done')
    await become('starting')
    await node.client.send(sendCommand, { params, body: 'up' })
    await become('online')

    // Another task, later: everything before it has happened.
    const last = await task({ triggers: [{ event: 'console', pattern: 'echo: over' }] })
    await node.client.send(sendCommand, { params, body: 'over' })
    await until(last, 'the last line', ([one]) => one?.result === 'done')
    expect(await runs(restart)).toHaveLength(1)
  })
})

describe('permissions of the owner', () => {
  test('a removed permission ends the next run before it does anything', async ({ fixture }) => {
    const { node, panel, user, server, task, runs } = fixture
    user.permissions[server] = ['editServerData', 'sendServerConsole', 'viewServer']
    const key = await task({ operations: [{ type: 'stdin', command: 'list' }] })
    const asking = { params: { id: server, task: key }, query: { wait: true } }
    await node.client.send(startServer, { params: { id: server }, query: { wait: true } })
    expect((await node.client.send(runTask, asking)).status).toBe(204)

    user.permissions[server] = ['editServerData', 'viewServer']
    const { status, body } = await node.client.send(runTask, asking)

    expect([status, body.error.code, body.error.metadata.scope]).toEqual([
      403,
      'ErrTaskRefused',
      'servers.console.send',
    ])
    expect((await runs(key))[0]).toMatchObject({
      result: 'refused',
      reason: expect.stringContaining('step 1 (stdin)'),
      refusal: { code: 'ErrTaskRightMissing', metadata: { step: 1, type: 'stdin', scope: 'servers.console.send' } },
    })
    panel.users.splice(0)
    expect((await node.client.send(runTask, asking)).body.error.code).toBe('ErrTaskRefused')
  })

  test('variables that the owner may not see are not substituted', async ({ fixture }) => {
    const { node, user } = fixture
    const id = '0b0b0b0b'
    const params = { id }
    const data = { secret: { value: 'hunter2' }, port: { value: '25565', userEdit: true } }
    await node.client.create(id, { command: program('echo') }, { data })
    const body = { name: 'Tell', operations: [{ type: 'writefile', target: 'told', text: '${port} ${secret}' }] }
    const told = async (permissions: RequiredPermission[], theirs = permissions) => {
      user.permissions[id] = theirs
      const { body: made } = await node.client.send(createTask, { params, permissions, body })
      await node.client.send(runTask, { params: { ...params, task: made.id }, query: { wait: true } })
      return readFileSync(join(node.dataDir, 'servers', id, 'told'), 'utf8')
    }

    expect(await told(['editServerData', 'putServerFiles'])).toBe('25565 ${secret}')
    expect(await told(['admin'])).toBe('25565 hunter2')
    // A program of an administrator with fewer permissions than its user.
    expect(await told(['editServerData', 'putServerFiles'], ['admin'])).toBe('25565 ${secret}')
    await node.client.asPanel('DELETE', `/daemon/server/${id}`)
  })

  test('while the panel is unreachable, the last known permissions are used', async ({ fixture }) => {
    const { node, panel, user, server, task } = fixture
    const key = await task({ operations: [say('hello')] })
    const asking = { params: { id: server, task: key }, query: { wait: true } }
    panel.isAway = true
    expect((await node.client.send(runTask, asking)).status).toBe(204)

    panel.isAway = false
    user.permissions[server] = ['viewServer']
    expect((await node.client.send(runTask, asking)).status).toBe(403)
    panel.isAway = true

    expect((await node.client.send(runTask, asking)).status).toBe(403)
  })
})

describe('across restarts of the daemon', () => {
  test('missed times are made up for once, if configured', async ({ fixture }) => {
    const { node, server, task, runs, until, panel } = fixture
    const schedule = { cronSchedule: '0 0 1 1 *' }
    const wanted = await task({ ...schedule, catchUp: true })
    const unwanted = await task(schedule)
    await node.detach()
    panel.isAway = true
    const path = join(node.dataDir, 'tasks', server, 'tasks.json')
    const kept = JSON.parse(readFileSync(path, 'utf8'))
    for (const key of [wanted, unwanted]) kept.tasks[key].served -= 3 * 365 * 24 * 3_600_000
    writeFileSync(path, JSON.stringify(kept))

    await node.start()

    const [run] = await until(wanted, 'the missed run', ([one]) => one?.result === 'done')
    expect(run).toMatchObject({ cause: 'missed' })
    await node.detach()
    await node.start()
    expect([(await runs(wanted)).length, (await runs(unwanted)).length]).toEqual([1, 0])
  })

  test('an active run is recorded as interrupted, and its process is killed', async ({ fixture }) => {
    const { node, server, task, until, view } = fixture
    const key = await task({ operations: [hang] })
    await node.client.send(runTask, { params: { id: server, task: key } })
    await until(key, 'a step at work', ([run]) => run?.step === 1)

    await node.detach()
    expect(await taskProcess(node, server)).toBeUndefined()
    await node.start()

    const [run] = await until(key, 'the run', ([one]) => one?.result !== undefined)
    expect(run).toMatchObject({ result: 'interrupted', step: 1, refusal: { code: 'ErrTaskInterrupted' } })
    expect(await view(key)).toMatchObject({ isRunning: false, lastRun: { result: 'interrupted' } })
  })
})

test('only the last runs are kept', async ({ fixture }) => {
  const { node, server, task, runs } = fixture
  const key = await task({ operations: [] })
  for (let count = 0; count < limits.taskRunsKept + 3; count++)
    await node.client.send(runTask, { params: { id: server, task: key }, query: { wait: true } })

  expect(await runs(key)).toHaveLength(limits.taskRunsKept)
  await node.client.send(putTask, { params: { id: server, task: key }, body: { name: 'Other', operations: [] } })
  expect(await runs(key)).toHaveLength(limits.taskRunsKept)
})
