import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { RequiredPermission } from '@innkeeper/contract/api/permissions'
import { getDefinition, putData, putDefinition } from '@innkeeper/contract/definitions/server-definition'
import { reloadServer } from '@innkeeper/contract/servers/node-servers'
import {
  cancelTask,
  createTask,
  deleteTask,
  listTaskRuns,
  listTasks,
  putTask,
  runTask,
} from '@innkeeper/contract/servers/tasks'
import { limits } from '@innkeeper/contract/text/limits'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { maxTaskBytes, maxTasks } from '../servers/task-owners.ts'
import { minScheduleIntervalMs } from '../tasks/server-tasks.ts'
import { program, TestNode } from '../testing/daemon.ts'

const id = '0a0a0a0a'
const params = { id }
const backup = { name: 'Backup', cronSchedule: '0 0 */1 * *', operations: [{ type: 'mkdir', target: 'copies' }] }

/** One node for all; each test has a fresh server. */
let node: TestNode
beforeAll(async () => {
  node = await TestNode.start()
})
beforeEach(async () => {
  await node.client.create(id, { command: program('echo'), stop: 'stop' })
})
afterEach(async () => {
  await node.client.asPanel('DELETE', `/daemon/server/${id}`)
})
afterAll(() => node[Symbol.asyncDispose]())

const editor: RequiredPermission[] = ['viewServer', 'editServerData', 'putServerFiles']
const listed = async () => (await node.client.send(listTasks, { params })).body.tasks
const create = async (body: object = backup): Promise<string> =>
  (await node.client.send(createTask, { params, body })).body.id
const getRefusal = ({ status, body }: { status: number; body: { error?: { code: string; metadata: object } } }) => [
  status,
  body.error?.code,
  body.error?.metadata,
]

describe('a task', () => {
  test('is saved in the definition, and has its own id', async () => {
    const { status, body } = await node.client.send(createTask, { params, permissions: editor, body: backup })

    expect(status).toBe(200)
    const { body: answer } = await node.client.send(listTasks, { params, permissions: editor })
    expect(answer.timezone).toBe(new Intl.DateTimeFormat().resolvedOptions().timeZone)
    expect(answer.tasks[body.id]).toMatchObject({ ...backup, savedBy: 1, isRunning: false })
    expect(answer.tasks[body.id]).not.toHaveProperty('problem')
    expect(new Date(answer.tasks[body.id].nextRun).getTime()).toBeGreaterThan(Date.now())
    const definition = (await node.client.send(getDefinition, { params })).body
    expect(definition.tasks).toEqual({ [body.id]: { ...backup, savedBy: 1, savedRights: editor, timezone: null } })
  })

  test('is replaced as a whole, owned by the user who changes it, and unknown fields of the definition stay', async () => {
    const key = 'nightly'
    const { body: definition } = await node.client.send(getDefinition, { params })
    const nightly = { ...backup, description: 'kept', triggers: [{ event: 'stopped' }], timezone: null }
    await node.client.send(putDefinition, { params, body: { ...definition, tasks: { [key]: nightly } } })
    const [task, ticket] = [{ ...params, task: key }, { sub: 'user:7' }]
    const before = (await listed())[key]

    // As sent back by a client that knows only the older format.
    const { name, operations, isRunning, nextRun, version } = before
    const body = {
      name: `${name} 2`,
      cronSchedule: '',
      operations,
      isRunning,
      nextRun,
      version,
      savedBy: 1,
      added: 'x',
    }
    expect((await node.client.send(putTask, { params: task, ticket, body })).status).toBe(204)

    const after = (await listed())[key]
    expect(after).toMatchObject({ name: 'Backup 2', cronSchedule: null, description: 'kept', savedBy: 7 })
    expect(after).not.toHaveProperty('nextRun')
    const kept = (await node.client.send(getDefinition, { params })).body.tasks[key]
    expect(Object.keys(kept).toSorted()).toEqual(
      ['cronSchedule', 'description', 'name', 'operations', 'savedBy', 'timezone', 'triggers'].toSorted(),
    )
  })

  test.for<[string, object, string, string]>([
    ['a console command that is empty', { type: 'stdin', command: '' }, 'command', 'ErrFieldRequired'],
    ['a console command of blanks', { type: 'stdin', command: '  ' }, 'command', 'ErrFieldRequired'],
    ['no command to run', { type: 'command', commands: [''] }, 'commands', 'ErrFieldRequired'],
    ['no target to move to', { type: 'move', source: 'a' }, 'target', 'ErrFieldRequired'],
    ['an invalid Java version', { type: 'javadl', version: 'newest' }, 'version', 'ErrFieldInvalid'],
  ])('with %s is not saved, and the response has the field', async ([, step, field, code]) => {
    const key = await create()
    const body = { ...backup, operations: [...backup.operations, step] }

    const created = await node.client.send(createTask, { params, body })
    const changed = await node.client.send(putTask, { params: { ...params, task: key }, body })

    expect([created, changed].map(getRefusal)).toEqual([
      [400, code, { field: `operations.1.${field}` }],
      [400, code, { field: `operations.1.${field}` }],
    ])
    expect(Object.keys(await listed())).toEqual([key])
  })

  test('can have a variable in place of a value', async () => {
    const operations = [{ type: 'stdin', command: '${greeting}' }]

    expect((await node.client.send(createTask, { params, body: { ...backup, operations } })).status).toBe(200)
  })

  test('is not overwritten with an outdated version', async () => {
    const key = await create()
    const { version } = (await listed())[key]
    const put = (name: string, headers = {}) =>
      node.client.send(putTask, { params: { ...params, task: key }, headers, body: { ...backup, name } })

    const first = await put('First', { 'if-match': `"${version}"` })
    const second = await put('Second', { 'if-match': `"${version}"` })

    expect([first.status, second.status, second.body.error.code]).toEqual([204, 412, 'ErrStaleVersion'])
    expect((await listed())[key].name).toBe('First')
    expect((await put('Third', { 'if-match': String(first.headers.etag) })).status).toBe(204)
    expect((await put('Fourth')).status).toBe(204)
  })

  test('is deleted with its state and runs', async () => {
    const key = await create()
    const task = { params: { ...params, task: key } }
    await node.client.send(runTask, { ...task, query: { wait: true } })
    expect((await node.client.send(listTaskRuns, task)).body).toHaveLength(1)

    expect((await node.client.send(deleteTask, task)).status).toBe(204)

    expect(await listed()).toEqual({})
    for (const call of [deleteTask, runTask, cancelTask, listTaskRuns])
      expect((await node.client.send(call, task)).body.error.code).toBe('ErrTaskNotFound')
    expect((await node.client.send(putTask, { ...task, body: backup })).body.error.code).toBe('ErrTaskNotFound')
  })

  test.for<[object, string, string]>([
    [{ name: '  ' }, 'ErrFieldRequired', 'name'],
    [{ operations: undefined }, 'ErrFieldRequired', 'operations'],
    [{ name: 'x'.repeat(limits.taskNameMax + 1) }, 'ErrFieldTooLarge', 'name'],
    [{ cronSchedule: 'now and then' }, 'ErrFieldInvalid', 'cronSchedule'],
    [{ cronSchedule: '0 0 31 2 *' }, 'ErrFieldInvalid', 'cronSchedule'],
    [{ timezone: 'Europe/Atlantis' }, 'ErrFieldInvalid', 'timezone'],
    [{ triggers: [{ event: 'console', pattern: '(a)\\1' }] }, 'ErrFieldInvalid', 'triggers.0.pattern'],
    [{ triggers: [{ event: 'eclipse' }] }, 'ErrFieldInvalid', 'triggers.0.event'],
    [{ operations: [{ nothing: 1 }] }, 'ErrFieldRequired', 'operations.0.type'],
    [
      { operations: Array.from({ length: limits.taskSteps + 1 }, () => ({ type: 'sleep', duration: '1s' })) },
      'ErrFieldTooLarge',
      'operations',
    ],
  ])('with %j is refused, and nothing is changed', async ([wrong, code, field]) => {
    const { status, body } = await node.client.send(createTask, { params, body: { ...backup, ...wrong } })

    expect([status, body.error.code, body.error.metadata.field]).toEqual([400, code, field])
    expect(await listed()).toEqual({})
  })

  test('has only known fields, and a maximum size', async () => {
    const key = await create({ ...backup, note: 'x'.repeat(500_000) })
    expect(Object.keys((await node.client.send(getDefinition, { params })).body.tasks[key])).not.toContain('note')

    const operations = [{ type: 'console', message: 'x'.repeat(maxTaskBytes) }]
    const answers = [
      await node.client.send(createTask, { params, body: { ...backup, operations } }),
      await node.client.send(putTask, { params: { ...params, task: key }, body: { ...backup, operations } }),
    ]

    for (const { status, body } of answers)
      expect([status, body.error.code, body.error.metadata.max]).toEqual([400, 'ErrFieldTooLarge', maxTaskBytes])
    expect(Object.keys(await listed())).toEqual([key])
  })

  test('does not make the definition larger than allowed, nor does anything else', async () => {
    const { body: definition } = await node.client.send(getDefinition, { params })
    const stored = (bytes: number) => ({
      ...definition,
      note: 'x'.repeat(bytes - Buffer.byteLength(JSON.stringify({ ...definition, note: '' }))),
    })
    const body = stored(limits.definitionBytes - 50)
    expect((await node.client.send(putDefinition, { params, body })).status).toBe(204)

    const task = await node.client.send(createTask, { params, body: backup })
    const data = await node.client.send(putData, { params, body: { data: { name: { value: 'y'.repeat(200) } } } })

    for (const answer of [task, data])
      expect(getRefusal(answer)).toEqual([
        400,
        'ErrFieldTooLarge',
        { field: 'definition', max: limits.definitionBytes },
      ])
    expect((await node.client.send(getDefinition, { params })).body.note).toBe(body.note)
  })

  test.for([
    ['* * * * * *', ['editServerData', 'putServerFiles'], 400],
    ['@every 9s', ['editServerData', 'putServerFiles'], 400],
    ['*/10 * * * * *', ['editServerData', 'putServerFiles'], 200],
    ['* * * * * *', ['admin'], 200],
  ] as const)(
    'that comes due by %s, saved with %j, is answered with %i',
    async ([cronSchedule, permissions, status]) => {
      const answer = await node.client.send(createTask, {
        params,
        permissions: [...permissions],
        body: { ...backup, cronSchedule },
      })

      expect(answer.status).toBe(status)
      if (status === 400)
        expect(getRefusal(answer)).toEqual([
          400,
          'ErrScheduleTooFrequent',
          { field: 'cronSchedule', seconds: minScheduleIntervalMs / 1_000 },
        ])
    },
  )

  test('counts toward the maximum number', async () => {
    const all = Array.from({ length: maxTasks }, (_, at) => [`task${at}`, backup])
    const { body: definition } = await node.client.send(getDefinition, { params })
    const body = { ...definition, tasks: Object.fromEntries(all) }
    await node.client.send(putDefinition, { params, body })

    const one = await node.client.send(createTask, { params, body: backup })
    const tasks = { ...body.tasks, another: backup }
    const raw = await node.client.send(putDefinition, { params, body: { ...body, tasks } })
    const whole = await node.client.asPanel('PUT', '/daemon/server/0c0c0c0c', { ...body, tasks })

    for (const answer of [one, raw, whole]) expect(getRefusal(answer)).toEqual([409, 'ErrTooMany', { max: maxTasks }])
    expect(Object.keys(await listed())).toHaveLength(maxTasks)
  })
})

describe('users cannot save what they may not do', () => {
  test.for<[object, RequiredPermission[], string]>([
    [{ type: 'command', commands: ['id'] }, editor, 'servers.edit.admin'],
    [{ type: 'mkdir', target: 'a' }, ['editServerData'], 'servers.files.put'],
    [{ type: 'stdin', command: 'stop' }, editor, 'servers.console.send'],
    [{ type: 'power', action: 'restart' }, editor, 'servers.start'],
    [{ type: 'power', action: 'kill' }, editor, 'servers.stop'],
    [{ type: 'what we do not know' }, editor, 'servers.edit.admin'],
  ])('%j with %j', async ([step, permissions, scope]) => {
    const key = await create()
    const body = { name: 'Other', operations: [{ type: 'sleep', duration: '1s' }, step] }
    const metadata = { scope, step: 2, type: (step as { type: string }).type }

    const created = await node.client.send(createTask, { params, permissions, body })
    const changed = await node.client.send(putTask, { params: { ...params, task: key }, permissions, body })

    expect(getRefusal(created)).toEqual([403, 'ErrMissingScope', metadata])
    expect(getRefusal(changed)).toEqual([403, 'ErrMissingScope', metadata])
    expect(Object.values(await listed())).toEqual([expect.objectContaining({ name: 'Backup' })])
  })
})

describe('in a raw definition', () => {
  const old = { a: { name: 'Old', cronSchedule: '0 4 * * *', operations: [{ type: 'mkdir', target: 'x' }] } }

  test('a task of an older format is shown, and runs once it has an owner', async () => {
    const other = '0b0b0b0b'
    await node.client.create(other, program('echo'), { tasks: { 'The old one': { ...old.a, savedBy: 1 } } })
    const params = { id: other, task: 'The old one' }

    const { tasks } = (await node.client.send(listTasks, { params })).body
    expect(tasks['The old one']).toMatchObject({
      name: 'Old',
      problem: expect.stringContaining('no owner'),
      refusal: { code: 'ErrTaskUnanswered' },
    })
    expect(tasks['The old one']).not.toHaveProperty('nextRun')
    expect((await node.client.send(runTask, { params, query: { wait: true } })).body.error.code).toBe('ErrTaskRefused')
    await node.client.send(putTask, { params, body: old.a })

    expect((await node.client.send(runTask, { params, query: { wait: true } })).status).toBe(204)
    await node.client.asPanel('DELETE', `/daemon/server/${other}`)
  })

  test('the user who changes one becomes its owner, also if the definition names another', async () => {
    const key = await create()
    const { body: definition } = await node.client.send(getDefinition, { params })
    const tasks = { ...definition.tasks, a: { ...old.a, savedBy: 1 } }

    await node.client.send(putDefinition, { params, ticket: { sub: 'user:7' }, body: { ...definition, tasks } })

    const now = await listed()
    expect([now.a.savedBy, now[key].savedBy]).toEqual([7, 1])
  })

  test('and so does the user who reloads a changed file', async () => {
    const key = await create()
    const path = join(node.dataDir, 'servers', `${id}.json`)
    const definition = JSON.parse(await readFile(path, 'utf8'))
    await writeFile(path, JSON.stringify({ ...definition, tasks: { ...definition.tasks, a: old.a } }))

    await node.client.send(reloadServer, { params, ticket: { sub: 'user:9' } })

    const now = await listed()
    expect([now.a.savedBy, now[key].savedBy]).toEqual([9, 1])
    expect(JSON.parse(await readFile(path, 'utf8')).tasks.a.savedBy).toBe(9)
  })

  test.for<[string, unknown, string, string]>([
    ['something that is not a task', 'x', 'is damaged', 'ErrTaskDamaged'],
    ['invalid steps', { name: 'A', operations: ['x'] }, 'operations.0', 'ErrTaskDamaged'],
    ['an invalid schedule', { cronSchedule: 'x', operations: [] }, 'cronSchedule', 'ErrFieldInvalid'],
    ['an invalid time zone', { cronSchedule: '@daily', timezone: 'x' }, 'timezone', 'ErrFieldInvalid'],
    ['an invalid pattern', { triggers: [{ event: 'console', pattern: '(' }] }, 'missing closing )', 'ErrFieldInvalid'],
  ])('%s is shown with its problem, and affects nothing else', async ([, task, problem, code]) => {
    const { body: definition } = await node.client.send(getDefinition, { params })
    await node.client.send(putDefinition, { params, body: { ...definition, tasks: { a: task, b: old.a } } })

    const now = await listed()

    expect(now.a).toMatchObject({ problem: expect.stringContaining(problem), refusal: { code } })
    expect(now.a).not.toHaveProperty('nextRun')
    expect(now.b).toMatchObject({ name: 'Old', nextRun: expect.any(String) })
  })
})

test('without permission to change settings there are no tasks, and a removed server has none', async () => {
  const others: RequiredPermission[] = ['viewServer', 'startServer', 'putServerFiles', 'sendServerConsole']

  expect((await node.client.send(listTasks, { params, permissions: others })).status).toBe(403)
  expect((await node.client.send(createTask, { params, permissions: others, body: backup })).status).toBe(403)
  expect((await node.client.send(listTasks, { params: { id: '0c0c0c0c' } })).body.error.code).toBe('ErrServerNotFound')
})
