import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { startServer } from '@innkeeper/contract/servers/node-servers'
import { expect, vi } from 'vitest'
import { program } from '../testing/daemon.ts'
import { testOnClearedNode as test } from '../testing/node-test.ts'

const id = '5c0d0d0d'
const params = { id }
const ofNode = 'a setting of the node'
/** What other panels, shells and template languages fill in. */
const foreign = [
  ...[
    '${INNKEEPER_SETTING}',
    '${env.INNKEEPER_SETTING}',
    '${ENV:INNKEEPER_SETTING}',
    '${process.env.INNKEEPER_SETTING}',
  ],
  ...['{{INNKEEPER_SETTING}}', '{{config.INNKEEPER_SETTING}}', '{{env.INNKEEPER_SETTING}}', '%INNKEEPER_SETTING%'],
  ...['$INNKEEPER_SETTING', '$(env)', '`env`', '<%=INNKEEPER_SETTING%>', '#{INNKEEPER_SETTING}', '${__proto__}'],
  ...['${constructor}', '${toString}', '${${name}}', '${core:secret}'],
]

test('placeholders reveal no settings or environment of the node, and values are not expanded again', async ({
  node: { client, dataDir },
}) => {
  vi.stubEnv('INNKEEPER_SETTING', ofNode)
  const data = {
    name: { value: 'INNKEEPER_SETTING', userEdit: true },
    text: { value: '${hidden} ${name} $(env)', userEdit: true },
    hidden: { value: 'a hidden value' },
  }
  const texts = [...foreign, '${text}'].join(' ')
  const pre = [
    { type: 'writefile', target: 'written', text: `before ${texts}` },
    { type: 'alterfile', file: 'written', search: 'before', replace: '${text}', regex: false },
    { type: 'editconfig', file: 'a.properties', format: 'properties', changes: [{ path: 'a', value: texts }] },
    { type: 'mkdir', target: 'folder ${text}' },
    { type: 'console', message: texts },
    { type: 'stdin', command: texts, continueOnError: true },
    { type: 'command', commands: ['sh -c "printf %s \\"$1\\" > printed" sh ${text}'] },
  ]
  await client.create(
    id,
    {
      command: `${program('surroundings')} ${foreign.map((text) => `'${text}'`).join(' ')} \${text}`,
      pre,
      environmentVars: { TEXT: texts },
    },
    { data },
  )
  const watcher = await client.watch(id)

  await client.send(startServer, { params, query: { wait: true } })
  await watcher.untilText('Server exited')
  vi.unstubAllEnvs()

  const told = JSON.parse(watcher.text.split('\n').find((line) => line.startsWith('{"')) ?? '')
  const read = (name: string) => readFileSync(join(dataDir, 'servers', id, name), 'utf8')
  expect(told.args).toEqual([...foreign.map((text) => text.replace('${name}', 'INNKEEPER_SETTING')), data.text.value])
  expect(told.env.TEXT).toContain('${INNKEEPER_SETTING} ${env.INNKEEPER_SETTING}')
  expect(read('printed')).toBe(data.text.value)
  const everything = [watcher.text, read('written'), read('a.properties')].join()
  expect(everything).not.toContain(ofNode)
  expect(everything).not.toContain('a hidden value')
})
