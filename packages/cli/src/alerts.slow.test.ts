import { createAlertChannel, listAlertDeliveries } from '@innkeeper/contract/alerts/alerts'
import { createServer } from '@innkeeper/contract/servers/new-server'
import { startServer } from '@innkeeper/contract/servers/node-servers'
import { createTask, runTask } from '@innkeeper/contract/servers/tasks'
import { postSettings } from '@innkeeper/contract/settings/settings'
import { HttpReceiver } from '@innkeeper/panel/testing/http-receiver'
import { MailServer } from '@innkeeper/panel/testing/mail-server'
import { expect, test, vi } from 'vitest'
import { TestInstallation } from './testing/test-installation.ts'

/** Long enough for a busy machine. */
const pollOptions = { timeout: 20_000, interval: 100 }

test('a server that crashes and a task that fails reach a webhook, ntfy and a mailbox exactly once', {
  timeout: 60_000,
}, async () => {
  const receiver = await HttpReceiver.start()
  const smtp = await MailServer.start()
  await using installation = await TestInstallation.start(undefined, { alertAllow: [receiver.address] })
  const settings = {
    'panel.email.provider': 'smtp',
    'panel.email.host': `smtp://127.0.0.1:${smtp.port}`,
    'panel.email.from': 'panel@example.net',
  } as const
  await installation.send(postSettings, { body: settings })
  const alerts = ['crashed', 'crashLimit', 'taskFailed'] as const
  const targets = [
    { type: 'webhook', target: `${receiver.url}/hook` },
    { type: 'ntfy', target: `${receiver.url}/topic` },
    { type: 'mail', target: 'ada@example.net' },
  ] as const
  for (const { type, target } of targets)
    await installation.send(createAlertChannel, { body: { name: type, type, target, alerts: [...alerts] } })
  const run = { command: 'sh -c "exit 3"', stop: 'stop', autorecover: false }
  const definition = { name: 'lobby', node: 0, type: 'test', run, data: {} }
  const { id } = await installation.send(createServer, { body: definition } as never)

  await installation.send(startServer, { params: { id }, query: {} })
  const operations = [{ type: 'alterfile', file: 'none.txt', search: 'a', regex: false }]
  const { id: task } = await installation.send(createTask, { params: { id }, body: { name: 'Greet', operations } })
  await vi.waitFor(() => expect(receiver.received).toHaveLength(2), pollOptions)
  const running = installation.send(runTask, { params: { id, task }, query: { wait: '' } })
  await expect(running).rejects.toMatchObject({ code: 'ErrStepFailed' })

  await vi.waitFor(async () => {
    const { deliveries } = await installation.send(listAlertDeliveries, { query: {} })
    expect(deliveries.map(({ type, state }) => `${type} ${state}`).sort()).toEqual([
      ...Array.from({ length: 3 }, () => 'crashed sent'),
      ...Array.from({ length: 3 }, () => 'taskFailed sent'),
    ])
  }, pollOptions)
  // After a restart nothing is sent again.
  await installation.stop('SIGTERM')
  await installation.restart()
  await installation.logIn()
  const { deliveries } = await installation.send(listAlertDeliveries, { query: {} })
  expect(deliveries).toHaveLength(6)
  const hooks = receiver.received.filter(({ path }) => path === '/hook')
  expect(hooks.map(({ body }) => JSON.parse(body))).toMatchObject([
    { type: 'crashed', status: 'firing', detail: 'Server exited with code 3', server: { id, name: 'lobby' } },
    { type: 'taskFailed', server: { id, name: 'lobby' } },
  ])
  expect(receiver.received.filter(({ path }) => path === '/')).toHaveLength(2)
  expect(smtp.received.map(({ subject }) => subject).sort()).toEqual([
    'Alert: Server crashed: lobby',
    'Alert: Task failed: lobby',
  ])
  await Promise.all([receiver.stop(), smtp.stop()])
})
