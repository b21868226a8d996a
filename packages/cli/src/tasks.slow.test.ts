import { login } from '@innkeeper/contract/accounts/auth'
import { putServerUser } from '@innkeeper/contract/accounts/server-users'
import { createUser } from '@innkeeper/contract/accounts/users'
import { listActivity } from '@innkeeper/contract/activity/activity'
import { type Endpoint, getPanelUrl, type RequestOf, type ResponseOf } from '@innkeeper/contract/api/endpoint'
import { refusalFrom } from '@innkeeper/contract/errors/refusal-envelope'
import { createServer } from '@innkeeper/contract/servers/new-server'
import { createTask, listTaskRuns, listTasks, runTask } from '@innkeeper/contract/servers/tasks'
import { expect, test, vi } from 'vitest'
import { TestInstallation } from './testing/test-installation.ts'

/** Long enough for a busy machine. */
const pollOptions = { timeout: 20_000, interval: 100 }

test('a task has the current permissions of the user who saved it on the panel, and continues while the panel is down', {
  timeout: 60_000,
}, async () => {
  await using installation = await TestInstallation.start()
  const definition = { name: 'lobby', node: 0, type: 'test', run: {}, data: {} }
  const { id } = await installation.send(createServer, { body: definition } as never)
  const guest = { username: 'guest', email: 'guest@example.net', password: 'a key under the mat' }
  await installation.send(createUser, { body: guest } as never)
  const may = (permissions: object) =>
    installation.send(putServerUser, { params: { id, email: guest.email }, body: permissions } as never)
  await may({ editServerData: true, putServerFiles: true })
  const { session } = await installation.send(login, { body: { email: guest.email, password: guest.password } })
  const asGuest = async <C extends Endpoint>(call: C, request: RequestOf<C>): Promise<ResponseOf<C>> => {
    const { body } = request as { body?: unknown }
    const reply = await fetch(installation.url + getPanelUrl(call, request as Parameters<typeof getPanelUrl>[1]), {
      method: call.method,
      headers: { authorization: `Bearer ${session}`, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const text = await reply.text()
    if (!reply.ok) throw refusalFrom(JSON.parse(text)) ?? new Error(text)
    return (text === '' ? undefined : JSON.parse(text)) as ResponseOf<C>
  }
  const operations = [{ type: 'mkdir', target: 'copies' }]

  const saved = asGuest(createTask, {
    params: { id },
    body: { name: 'Halt', operations: [{ type: 'power', action: 'stop' }] },
  })
  await expect(saved).rejects.toMatchObject({ code: 'ErrMissingScope', metadata: { scope: 'servers.stop', step: 1 } })
  const { id: task } = await asGuest(createTask, { params: { id }, body: { name: 'Copies', operations } })
  const params = { id, task }
  await asGuest(runTask, { params, query: { wait: '' } })

  await may({ editServerData: true })
  const refused = installation.send(runTask, { params, query: { wait: '' } })
  await expect(refused).rejects.toMatchObject({ code: 'ErrTaskRefused', metadata: { scope: 'servers.files.put' } })
  const { activity } = await installation.send(listActivity, { query: { action: 'server.task.*' } })
  expect(activity.map(({ action, result, user }) => `${user?.username} ${action} ${result}`)).toEqual([
    'mara server.task.run refused',
    'guest server.task.run done',
    'guest server.task.create done',
    'guest server.task.create refused',
  ])

  const body = { name: 'Tick', cronSchedule: '* * * * * *', operations }
  const { id: tick } = await installation.send(createTask, { params: { id }, body })
  const runs = async () =>
    (await installation.send(listTaskRuns, { params: { id, task: tick } })).filter(({ result }) => result === 'done')
  await vi.waitFor(async () => expect((await runs()).length).toBeGreaterThan(0), pollOptions)
  await installation.stop('SIGTERM')
  await installation.restart()
  const before = new Date().toISOString()
  await vi.waitFor(async () => expect((await runs())[0]?.startedAt.localeCompare(before)).toBe(1), pollOptions)
  expect(Object.keys((await installation.send(listTasks, { params: { id } })).tasks).toSorted()).toEqual(
    [task, tick].toSorted(),
  )
})
