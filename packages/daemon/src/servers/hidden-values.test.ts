import { getConsole, installServer, sendCommand, startServer } from '@innkeeper/contract/servers/node-servers'
import { expect } from 'vitest'
import { testOnClearedNode as test } from '../testing/node-test.ts'

const id = '5c0c0c0c'
const params = { id }
const wait = { wait: true }
const data = {
  hidden: { value: 'HidPlain-2', userEdit: false },
  inner: { value: 'Internal-3', userEdit: true, internal: true },
  short: { value: 'abc' },
  on: { value: 'true' },
  count: { value: '1234' },
  ip: { value: '127.0.0.9' },
  seen: { value: 'readable', userView: true },
  own: { value: 'editable', userEdit: true },
}
const all = '${hidden} ${inner} ${short} ${on} ${count} ${ip} ${seen} ${own}'
const shown = '*** *** abc true 1234 127.0.0.9 readable editable'

test('the console and answers show no values that the users of a server may not see', async ({ node: { client } }) => {
  const install = [
    { type: 'console', message: 'About HidPlain-2 and ${inner}' },
    { type: 'mkdir', target: 'a/${hidden}' },
    { type: 'command', commands: [`false ${all}`] },
    { type: 'command', commands: [`false ${all}`], stopOnError: true },
  ]
  await client.create(id, { command: `sh -c "read line" ${all}` }, { data, install })

  const installed = await client.send(installServer, { params, query: wait })
  const watcher = await client.watch(id)
  await client.send(startServer, { params, query: wait })
  await client.send(sendCommand, { params, body: 'say HidPlain-2', ticket: { username: 'mara' } })

  await watcher.untilText('say')
  const text: string = (await client.send(getConsole, { params })).body.logs
  expect(text).toContain(`Executing: false ${shown}\n`)
  expect(text).toContain(`Starting process: sh -c read line ${shown}\n`)
  expect(text).toContain('About *** and ***\n')
  expect(text).toContain('say ***')
  expect(installed.body.error.code).toBe('ErrStepFailed')
  for (const secret of ['HidPlain-2', 'Internal-3']) {
    expect(text).not.toContain(secret)
    expect(JSON.stringify(installed.body)).not.toContain(secret)
  }
})

test('neither does a failed start', async ({ node: { client } }) => {
  await client.create(id, { command: './${hidden}' }, { data })

  await client.send(startServer, { params, query: wait })

  const text: string = (await client.send(getConsole, { params })).body.logs
  expect(text).toContain('Starting process: ./***\n')
  expect(text).toContain('Missing binary: ./***')
  expect(text).not.toContain('HidPlain-2')
})
