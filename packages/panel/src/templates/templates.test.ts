import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createNode } from '@innkeeper/contract/nodes/nodes'
import {
  deleteTemplate,
  findMissingPrograms,
  getTemplate,
  listTemplates,
  putTemplate,
} from '@innkeeper/contract/templates/templates'
import pino from 'pino'
import { describe, expect } from 'vitest'
import { accessService } from '../access/access.ts'
import type { AuditContext } from '../access/audit-context.ts'
import { sessionsService } from '../auth/sessions.ts'
import { changedBefore } from '../testing/changed-before.ts'
import { type TestPanel, test } from '../testing/test-panel.ts'
import { seedTemplates } from './seed.ts'
import { templatesService } from './templates.ts'

const blank = { type: 'game', data: {}, run: {} }
const log = pino({ level: 'silent' })

/** Writes a bundled template and seeds the database as at the start. */
async function bundle(testPanel: TestPanel, name: string, template: object | string, readme?: string): Promise<void> {
  const templatesDir = join(testPanel.folder, 'templates')
  await mkdir(join(templatesDir, name), { recursive: true })
  const text = typeof template === 'string' ? template : JSON.stringify(template)
  await writeFile(join(templatesDir, name, `${name}.json`), text)
  if (readme) await writeFile(join(templatesDir, name, 'README.md'), readme)
  await seedTemplates({ db: testPanel.db, templatesDir, log })
}

test('missing programs are checked on every node that responds', async ({ testPanel }) => {
  const [admin, params] = [await testPanel.admin(), { name: 'chess' }]
  const body = { ...blank, requirements: { binaries: ['chess||gnuchess', 'java'] } }
  await testPanel.send(putTemplate, { params, body }, admin)
  await testPanel.send(createNode, { body: { name: 'Attic', publicHost: 'attic.example.org' } }, admin)
  testPanel.node.programs = ['java']

  const { answer } = await testPanel.send(findMissingPrograms, { params }, admin)
  const unknown = await testPanel.send(findMissingPrograms, { params: { name: 'go' } }, admin)

  expect(answer).toEqual([{ node: 0, missing: ['chess||gnuchess'] }])
  expect(unknown.refusal).toBe('ErrNoTemplate')
})

describe('bundled templates', () => {
  test('a new one is added with its readme and unknown fields', async ({ testPanel }) => {
    const admin = await testPanel.admin()

    await bundle(
      testPanel,
      'chess',
      { type: 'game', display: 'Chess', run: { command: 'chess' }, icon: '♞' },
      '# Chess',
    )

    const { answer } = await testPanel.send(getTemplate, { params: { name: 'chess' } }, admin)
    expect(answer).toMatchObject({
      name: 'chess',
      display: 'Chess',
      readme: '# Chess',
      icon: '♞',
      supportedEnvironments: [{ type: 'standard' }],
    })
  })

  test('an unedited one is updated', async ({ testPanel }) => {
    const admin = await testPanel.admin()
    await bundle(testPanel, 'chess', { type: 'game', display: 'Old' })

    await bundle(testPanel, 'chess', { type: 'game', display: 'New' })

    expect((await testPanel.send(listTemplates, {}, admin)).answer).toMatchObject([{ name: 'chess', display: 'New' }])
  })

  test('an edited one is not updated', async ({ testPanel }) => {
    const [admin, params] = [await testPanel.admin(), { name: 'chess' }]
    await bundle(testPanel, 'chess', { type: 'game', display: 'Old' })
    await testPanel.send(putTemplate, { params, body: { ...blank, display: 'Mine' } }, admin)

    await bundle(testPanel, 'chess', { type: 'game', display: 'New' })

    expect((await testPanel.send(getTemplate, { params }, admin)).answer.display).toBe('Mine')
  })

  test('a deleted one is not added again', async ({ testPanel }) => {
    const [admin, params] = [await testPanel.admin(), { name: 'chess' }]
    await bundle(testPanel, 'chess', { type: 'game' })
    expect((await testPanel.send(deleteTemplate, { params }, admin)).status).toBe(204)

    await bundle(testPanel, 'chess', { type: 'game', display: 'New' })

    expect((await testPanel.send(listTemplates, {}, admin)).answer).toEqual([])
  })

  test("one with the name of a user's template does not replace it", async ({ testPanel }) => {
    const [admin, params] = [await testPanel.admin(), { name: 'chess' }]
    await testPanel.send(putTemplate, { params, body: { ...blank, type: 'mine' } }, admin)

    await bundle(testPanel, 'chess', { type: 'game' })

    expect((await testPanel.send(getTemplate, { params }, admin)).answer.type).toBe('mine')
  })

  test('an invalid one is skipped, and the others are added', async ({ testPanel }) => {
    const admin = await testPanel.admin()

    await bundle(testPanel, 'damaged', '{"type":')
    await bundle(testPanel, 'chess', { type: 'game' })

    expect((await testPanel.send(listTemplates, {}, admin)).answer.map(({ name }) => name)).toEqual(['chess'])
  })

  test('the panel starts without a folder of bundled templates', async ({ testPanel }) => {
    await rm(join(testPanel.folder, 'templates'), { recursive: true, force: true })

    await seedTemplates({ db: testPanel.db, templatesDir: join(testPanel.folder, 'templates'), log })

    expect(await testPanel.db.selectFrom('templates').selectAll().execute()).toEqual([])
  })
})

describe('templates of users', () => {
  test('values are returned unchanged, and lenient formats are accepted', async ({ testPanel }) => {
    const [admin, params] = [await testPanel.admin(), { name: 'Arma3' }]
    const body = {
      type: 'game',
      data: { port: { type: 'integer', value: '2302', required: 'true' } },
      run: { command: 'x', stopCode: '2', autostart: 'true', odd: [1] },
      environment: { type: 'tty', extra: 1 },
    }

    const { status } = await testPanel.request('PUT', '/api/templates/Arma3', body, admin)

    expect(status).toBe(204)
    const { answer } = await testPanel.send(getTemplate, { params }, admin)
    expect(answer.data.port).toEqual({ type: 'integer', value: '2302', required: true })
    expect(answer.run).toMatchObject({ stopCode: 2, autostart: true, odd: [1] })
    expect(answer.supportedEnvironments).toEqual([{ type: 'tty', extra: 1 }])
  })

  test('a damaged row hides that one template only, and is not overwritten', async ({ testPanel }) => {
    const admin = await testPanel.admin()
    await testPanel.db
      .insertInto('templates')
      .values([
        { name: 'bad', body: '{' },
        { name: 'good', body: '{"type":"x"}' },
      ])
      .execute()

    const list = await testPanel.send(listTemplates, {}, admin)
    const bad = await testPanel.send(getTemplate, { params: { name: 'bad' } }, admin)

    expect(list.answer.map(({ name }) => name)).toEqual(['good'])
    expect([bad.status, bad.refusal, bad.metadata]).toEqual([404, 'ErrNoTemplate', { template: 'bad' }])
    const row = await testPanel.db.selectFrom('templates').select('body').where('name', '=', 'bad').executeTakeFirst()
    expect(row?.body).toBe('{')
  })

  test('users who may only view templates cannot change them', async ({ testPanel }) => {
    const user = await testPanel.createUser({ scopes: ['templates.view'] })
    const params = { name: 'x' }

    const put = await testPanel.send(putTemplate, { params, body: blank }, user)
    const removed = await testPanel.send(deleteTemplate, { params }, user)

    expect([put.refusal, removed.refusal]).toEqual(['ErrMissingScope', 'ErrMissingScope'])
    expect((await testPanel.send(listTemplates, {}, user)).answer).toEqual([])
  })

  test('a container that was just removed cannot be used by a template that still had it', async ({ testPanel }) => {
    const [admin, editor] = [await testPanel.admin(), await testPanel.createUser({ scopes: ['templates.edit'] })]
    const template = { ...blank, environment: { type: 'docker', image: 'example/game' } }
    await testPanel.send(putTemplate, { params: { name: 'chess' }, body: template }, admin)
    const db = changedBefore(testPanel.db, () => testPanel.db.deleteFrom('templates').execute())
    const { resolve } = sessionsService({ db: testPanel.db, now: Date.now })
    const access = accessService({ db: testPanel.db, resolveToken: resolve, now: Date.now })
    const principal = access.requireScope(await access.principal(editor.token, ''), 'templates.edit')
    const audit: AuditContext = { setActor() {}, setSubject() {}, skip() {}, async record() {} }

    const putting = templatesService({ db, log }).put(principal, 'copy', template, audit)

    await expect(putting).rejects.toMatchObject({ code: 'ErrMissingScope' })
  })

  test('users who edit templates without being administrators cannot add containers', async ({ testPanel }) => {
    const admin = await testPanel.admin()
    const user = await testPanel.createUser({ scopes: ['templates.edit'] })
    const docker = { type: 'docker', image: '${image}', bindings: { '/srv/maps': '/maps' } }
    const data = { image: { value: 'game' }, port: { value: 1 } }
    const whole = { ...blank, data, supportedEnvironments: [{ type: 'standard' }, docker] }
    const save = (name: string, body: object, as = user) =>
      testPanel.send(putTemplate, { params: { name }, body: { ...blank, ...body } }, as)
    await save('chess', whole, admin)

    const kept = await save('chess', { ...whole, display: 'Chess', data: { ...data, port: { value: 2 } } })
    const copied = await save('chess-2', whole)
    const wrong = await Promise.all([
      save('chess', { ...whole, environment: { ...docker, bindings: { '/': '/host' } } }),
      save('chess', { ...whole, supportedEnvironments: [{ ...docker, type: 'container' }] }),
      save('chess', { ...whole, data: { ...data, image: { value: 'evil' } } }),
      save('new', { environment: { type: 'docker' } }),
    ])

    expect([kept.refusal, copied.refusal]).toEqual([undefined, undefined])
    expect(wrong.map(({ refusal, metadata }) => [refusal, metadata])).toEqual(
      wrong.map(() => ['ErrMissingScope', { scope: 'servers.admin' }]),
    )
  })
})

describe('two editors of one template', () => {
  const params = { name: 'chess' }
  /** The current version in the panel. */
  const etag = ({ headers }: { readonly headers: Readonly<Record<string, unknown>> }) => String(headers.etag)

  test('do not overwrite each other, and the later one gets the name of the first', async ({ testPanel }) => {
    const [admin, other] = [
      await testPanel.admin(),
      await testPanel.createUser({ scopes: ['templates.edit', 'templates.view'] }),
    ]
    await testPanel.send(putTemplate, { params, body: blank }, admin)
    const opened = etag(await testPanel.send(getTemplate, { params }, admin))

    const first = await testPanel.send(putTemplate, { params, body: { ...blank, display: 'Theirs' } }, other, {
      'if-match': opened,
    })
    const second = await testPanel.send(putTemplate, { params, body: { ...blank, display: 'Mine' } }, admin, {
      'if-match': opened,
    })

    expect(first.status).toBe(204)
    expect([second.refusal, second.metadata]).toEqual(['ErrStaleVersion', { by: other.username }])
    const now = await testPanel.send(getTemplate, { params }, admin)
    expect([now.answer.display, etag(now)]).toEqual(['Theirs', etag(first)])
    const response = await testPanel.send(putTemplate, { params, body: blank }, admin, { 'if-match': etag(now) })
    expect(response.status).toBe(204)
  })

  test('a template deleted in the meantime is not created again by accident', async ({ testPanel }) => {
    const admin = await testPanel.admin()
    await testPanel.send(putTemplate, { params, body: blank }, admin)
    const opened = etag(await testPanel.send(getTemplate, { params }, admin))
    await testPanel.send(deleteTemplate, { params }, admin)

    const { refusal } = await testPanel.send(putTemplate, { params, body: blank }, admin, { 'if-match': opened })

    expect(refusal).toBe('ErrStaleVersion')
    expect((await testPanel.send(listTemplates, {}, admin)).answer).toEqual([])
  })

  test('a new one does not replace an existing one', async ({ testPanel }) => {
    const admin = await testPanel.admin()
    const create = () => testPanel.send(putTemplate, { params, body: blank }, admin, { 'if-none-match': '*' })

    expect([(await create()).status, (await create()).refusal]).toEqual([204, 'ErrDuplicateTemplateName'])
  })
})

test.for([
  ['a key twice', '{"type":"game","data":{"a":{},"b":{},"a":{}}}', 'ErrFieldInvalid', 'data.a'],
  [
    'a number that is none',
    '{"type":"game","install":[{"type":"sleep","duration":1e400}]}',
    'ErrFieldInvalid',
    'install.0.duration',
  ],
  [
    'a step that objects give a meaning of their own',
    '{"type":"game","install":[{"type":"constructor"}]}',
    'ErrMissingFactory',
    'install.0.type',
  ],
  [
    '100,000 steps',
    JSON.stringify({ type: 'game', install: Array(100_000).fill({ type: 'mkdir', target: 'a' }) }),
    'ErrFieldTooLarge',
    'install',
  ],
  [
    '20,000 variables',
    JSON.stringify({
      type: 'game',
      data: Object.fromEntries(Array.from({ length: 20_000 }, (_, at) => [`v${at}`, {}])),
    }),
    'ErrFieldTooLarge',
    'data',
  ],
  ['a name with an equals sign', '{"type":"game","data":{"B=C":{}}}', 'ErrFieldInvalid', 'data.B=C'],
] as const)('a template with %s is neither saved nor uploaded', async ([, body, code, field], { testPanel }) => {
  const admin = await testPanel.admin()

  for (const [method, url] of [
    ['PUT', '/api/templates/odd'],
    ['POST', '/api/catalog/templates/odd'],
  ] as const) {
    const headers = { authorization: `Bearer ${admin.token}`, 'content-type': 'application/json' }
    const answer = await testPanel.panel.app.inject({ method, url, payload: body, headers })

    expect(answer.statusCode, url).toBe(400)
    expect(answer.json(), url).toMatchObject({ error: { code, metadata: { field } } })
  }
  expect((await testPanel.send(getTemplate, { params: { name: 'odd' } }, admin)).status).toBe(404)
})

test('the largest templates that are known are uploaded, also with unknown steps and fields', async ({ testPanel }) => {
  const admin = await testPanel.admin()
  const data = Object.fromEntries(Array.from({ length: 250 }, (_, at) => [`v-${at}`, { value: '1', odd: true }]))
  const body = { type: 'game', install: Array(150).fill({ type: 'fly', odd: [1] }), data, run: { odd: 1 } }

  expect((await testPanel.request('POST', '/api/catalog/templates/large', body, admin)).status).toBe(204)
})
