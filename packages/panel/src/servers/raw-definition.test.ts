import { Definition } from '@innkeeper/contract/definitions/definition'
import { putDefinition } from '@innkeeper/contract/definitions/server-definition'
import { createServer } from '@innkeeper/contract/servers/new-server'
import { getServer } from '@innkeeper/contract/servers/servers'
import { putTemplate } from '@innkeeper/contract/templates/templates'
import { describe, expect, test as pure } from 'vitest'
import { test } from '../testing/test-panel.ts'
import { matchesTemplate } from './raw-definition.ts'

const template = {
  type: 'game',
  display: 'Chess',
  data: {
    port: { type: 'integer', value: '1', userEdit: true },
    secret: { value: 'x', internal: true },
  },
  supportedEnvironments: [{ type: 'standard' }, { type: 'tty' }],
  install: [{ type: 'mkdir', target: 'a' }],
  run: { command: 'chess --port ${port}', autostart: false },
}

describe('a definition matches its template', () => {
  pure.each([
    ['unchanged', {}],
    ['with values', { data: { ...template.data, port: { type: 'integer', value: 7, userEdit: true } } }],
    ['in an offered environment', { environment: { type: 'tty' } }],
    ['with autostart', { run: { ...template.run, autostart: true, autorecover: true } }],
    ['restarted when it does not respond', { run: { ...template.run, restartWhenNotResponding: true } }],
    ['with another display name, and empty fields', { display: 'Mine', uninstall: [], requirements: null }],
  ])('%s', (_, difference) => {
    expect(matchesTemplate(Definition.parse(template), Definition.parse({ ...template, ...difference }))).toBe(true)
  })

  pure.each([
    ['another command', { run: { command: 'rm -r /' } }],
    ['another step', { install: [{ type: 'command', commands: ['x'] }] }],
    ['an additional step', { uninstall: [{ type: 'command', commands: ['x'] }] }],
    ['another environment', { environment: { type: 'docker', image: 'x' } }],
    ['an environment with more fields', { environment: { type: 'tty', root: '/' } }],
    ['another variable', { data: { ...template.data, more: { value: 'x' } } }],
    ['a variable with other options', { data: { ...template.data, port: { type: 'string', userEdit: true } } }],
    ['another internal value', { data: { ...template.data, secret: { value: 'y', internal: true } } }],
    ['tasks', { tasks: { a: { operations: [{ type: 'command', commands: ['x'] }] } } }],
    ['an unknown field', { mounts: ['/'] }],
  ])('but not with %s', (_, difference) => {
    expect(matchesTemplate(Definition.parse(template), Definition.parse({ ...template, ...difference }))).toBe(false)
  })
})

test('values of a new server are validated, also for administrators', async ({ testPanel }) => {
  const [admin, maker] = [await testPanel.admin(), await testPanel.createUser({ scopes: ['servers.create'] })]
  const game = {
    ...template,
    data: {
      ...template.data,
      name: { value: 'Chess', userEdit: true },
      // Values in templates may be invalid as user input.
      players: { type: 'integer', value: 'many' },
      rate: { type: 'number', value: '1', min: 0.1 },
      jar: { value: 'a.jar', pattern: '\\.jar$' },
      rules: { value: 'one\ntwo' },
    },
    run: { command: 'chess --name ${name}' },
  }
  await testPanel.send(putTemplate, { params: { name: 'chess' }, body: game }, admin)
  const create = async (by: typeof admin, values: Readonly<Record<string, string>>) => {
    const changed = Object.entries(values).map(([name, value]) => [name, { ...Reflect.get(game.data, name), value }])
    const body = { ...game, data: { ...game.data, ...Object.fromEntries(changed) } }
    const { status, refusal, metadata } = await testPanel.send(createServer, { body }, by)
    return [status, refusal, metadata?.field]
  }

  for (const by of [admin, maker]) {
    expect(await create(by, { name: 'a\nb' })).toEqual([400, 'ErrFieldNotOneLine', 'data.name'])
    expect(await create(by, { name: '--help' })).toEqual([400, 'ErrFieldLikeOption', 'data.name'])
    expect(await create(by, { players: 'few' })).toEqual([400, 'ErrFieldNotWhole', 'data.players'])
    expect(await create(by, { rate: '0' })).toEqual([400, 'ErrFieldTooSmall', 'data.rate'])
    expect(await create(by, { jar: 'a.zip' })).toEqual([400, 'ErrFieldPattern', 'data.jar'])
    expect(await create(by, { name: 'Fun', rules: 'three\nfour' })).toEqual([200, undefined, undefined])
  }
})

describe('the image of a container is for administrators', () => {
  const version = { type: 'option', value: '21', options: [{ value: '17' }, { value: '21' }] }
  const contained = {
    ...template,
    data: { version, image: { value: 'own' } },
    supportedEnvironments: [
      { type: 'docker', image: 'java${version}:1' },
      { type: 'docker', image: '${image}' },
    ],
  }

  pure.each([
    ['a version from options', { data: { ...contained.data, version: { ...version, value: '17' } } }, true],
    ['another text for a version', { data: { ...contained.data, version: { ...version, value: '17 evil' } } }, false],
    ['another text for an image', { data: { ...contained.data, image: { value: 'evil' } } }, false],
    ['another offer', { supportedEnvironments: [{ type: 'docker', bindings: { '/': '/host' } }] }, false],
    ['one of the offers', { supportedEnvironments: [contained.supportedEnvironments[1]] }, true],
  ])('%s', (_, difference, expected) => {
    const made = Definition.parse({ ...contained, ...difference })

    expect(matchesTemplate(Definition.parse(contained), made)).toBe(expected)
  })
})

test('users who may create servers create them from templates, and get access to them', async ({ testPanel }) => {
  const [admin, user] = [await testPanel.admin(), await testPanel.createUser({ scopes: ['servers.create'] })]
  await testPanel.send(putTemplate, { params: { name: 'chess' }, body: template }, admin)

  const data = { ...template.data, port: { ...template.data.port, value: '2000' } }
  const run = { ...template.run, autorecover: true, restartWhenNotResponding: true }
  const body = { ...template, name: 'mine', data, run, environment: { type: 'tty' } }
  const made = await testPanel.send(createServer, { body }, user)

  expect(made.status).toBe(200)
  const { answer } = await testPanel.send(getServer, { params: made.answer, query: { perms: '' } }, user)
  expect(answer).toMatchObject({ server: { name: 'mine', port: 2000 }, permissions: { startServer: true } })
  expect([...testPanel.node.definitions.values()]).toMatchObject([{ run }])
})

test('who has created a server changes its switches later only as administrator', async ({ testPanel }) => {
  const [admin, user] = [await testPanel.admin(), await testPanel.createUser({ scopes: ['servers.create'] })]
  await testPanel.send(putTemplate, { params: { name: 'chess' }, body: template }, admin)
  const { answer: params } = await testPanel.send(createServer, { body: template }, user)
  const body = { ...template, run: { ...template.run, restartWhenNotResponding: true } }

  const byUser = await testPanel.send(putDefinition, { params, body }, user)
  const byAdmin = await testPanel.send(putDefinition, { params, body }, admin)

  expect([byUser.status, byAdmin.status]).toEqual([403, 204])
})

test('a custom definition is for administrators', async ({ testPanel }) => {
  const user = await testPanel.createUser({ scopes: ['servers.create'] })

  const { status, refusal, metadata } = await testPanel.send(createServer, { body: template }, user)

  expect([status, refusal, metadata]).toEqual([403, 'ErrMissingScope', { scope: 'servers.admin' }])
  expect(testPanel.node.definitions.size).toBe(0)
})
