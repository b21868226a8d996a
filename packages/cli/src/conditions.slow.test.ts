import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { putDefinition } from '@innkeeper/contract/definitions/server-definition'
import { createServer } from '@innkeeper/contract/servers/new-server'
import { reloadServer } from '@innkeeper/contract/servers/node-servers'
import { createTask, listTasks, runTask } from '@innkeeper/contract/servers/tasks'
import { putTemplate } from '@innkeeper/contract/templates/templates'
import { expect, test } from 'vitest'
import { TestInstallation } from './testing/test-installation.ts'

const digits = '[0,1,2,3,4,5,6,7,8,9]'

/** Without a limit, each of the eight levels would multiply the time by ten. */
const hostile = ['all', 'exists', 'exists_one', 'map', 'filter'].map((macro) =>
  Array.from({ length: 8 }).reduce<string>(
    (inner, _, level) => `${digits}.${macro}(x${level}, ${inner}) != 'x'`,
    'true',
  ),
)

test('an expensive condition is rejected wherever it is saved, and a stored one blocks nothing', {
  timeout: 60_000,
}, async () => {
  await using installation = await TestInstallation.start()
  const definition = { name: 'lobby', node: 0, type: 'test', run: {}, data: {} }
  const { id } = await installation.send(createServer, { body: definition } as never)
  const params = { id }
  const times: number[] = []
  const watching = new AbortController()
  const watched = (async () => {
    while (!watching.signal.aborted) {
      const began = performance.now()
      await (await installation.fetch('/api/config')).text()
      times.push(performance.now() - began)
    }
  })()

  for (const condition of hostile) {
    const step = { type: 'sleep', duration: '1s', if: condition }
    const template = { type: 'test', data: {}, run: {}, groups: [{ if: condition, display: 'All', variables: [] }] }
    await expect(
      installation.send(createTask, { params, body: { name: 'slow', operations: [step] } } as never),
    ).rejects.toMatchObject({ code: 'ErrFieldInvalid', metadata: { field: 'operations.0.if' } })
    await expect(
      installation.send(putDefinition, { params, body: { type: 'test', data: {}, run: {}, install: [step] } } as never),
    ).rejects.toMatchObject({ code: 'ErrFieldInvalid', metadata: { field: 'install.0.if' } })
    await expect(
      installation.send(putTemplate, { params: { name: 'slow' }, body: template } as never),
    ).rejects.toMatchObject({
      code: 'ErrFieldInvalid',
      metadata: { field: 'groups.0.if' },
    })
  }
  const tasks = Object.fromEntries(
    hostile.map((condition, at) => [
      `task${at}`,
      { name: `slow ${at}`, operations: [{ type: 'sleep', duration: '1s', if: condition }] },
    ]),
  )
  const stored = join(installation.folder, 'data', 'servers', `${id}.json`)
  await writeFile(stored, JSON.stringify({ type: 'test', id, data: {}, run: {}, tasks }))
  await installation.send(reloadServer, { params })
  const views = Object.entries((await installation.send(listTasks, { params })).tasks)
  for (const [task, view] of views) {
    expect(view.problem).toContain('there is no function')
    const run = installation.send(runTask, { params: { id, task }, query: { wait: 'true' } } as never)
    await expect(run).rejects.toMatchObject({ message: expect.stringContaining('there is no function') })
  }
  watching.abort()
  await watched

  expect(views).toHaveLength(hostile.length)
  times.sort((one, other) => one - other)
  expect(times[Math.floor(times.length * 0.95)]).toBeLessThan(300)
  // One condition took five seconds before; a busy machine may take a while.
  expect(times.at(-1)).toBeLessThan(1_500)
})
