import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createNode } from '@innkeeper/contract/nodes'
import {
  deleteTemplate,
  findMissingPrograms,
  getTemplate,
  listTemplates,
  putTemplate,
} from '@innkeeper/contract/templates'
import pino from 'pino'
import { describe, expect } from 'vitest'
import { accessService } from '../access/access.ts'
import type { Acting } from '../access/acting.ts'
import { sessionsService } from '../auth/sessions.ts'
import { changedBefore } from '../testing/changed-before.ts'
import { type House, test } from '../testing/house.ts'
import { seedTemplates } from './bundled.ts'
import { templatesService } from './templates.ts'

const blank = { type: 'game', data: {}, run: {} }
const log = pino({ level: 'silent' })

/** Writes a bundled template and starts the seeding that every start does. */
async function bundle(house: House, name: string, template: object | string, readme?: string): Promise<void> {
  const templatesDir = join(house.folder, 'templates')
  await mkdir(join(templatesDir, name), { recursive: true })
  const text = typeof template === 'string' ? template : JSON.stringify(template)
  await writeFile(join(templatesDir, name, `${name}.json`), text)
  if (readme) await writeFile(join(templatesDir, name, 'README.md'), readme)
  await seedTemplates({ db: house.db, templatesDir, log })
}

test('the programs that a template needs are looked for on every node that answers', async ({ house }) => {
  const [admin, params] = [await house.admin(), { name: 'chess' }]
  const body = { ...blank, requirements: { binaries: ['chess||gnuchess', 'java'] } }
  await house.send(putTemplate, { params, body }, admin)
  await house.send(createNode, { body: { name: 'Attic', publicHost: 'attic.example.org' } }, admin)
  house.node.programs = ['java']

  const { answer } = await house.send(findMissingPrograms, { params }, admin)
  const unknown = await house.send(findMissingPrograms, { params: { name: 'go' } }, admin)

  expect(answer).toEqual([{ node: 0, missing: ['chess||gnuchess'] }])
  expect(unknown.refusal).toBe('ErrNoTemplate')
})

describe('bundled templates', () => {
  test('a new one is added with its readme, and fields that we do not know stay', async ({ house }) => {
    const admin = await house.admin()

    await bundle(house, 'chess', { type: 'game', display: 'Chess', run: { command: 'chess' }, icon: '♞' }, '# Chess')

    const { answer } = await house.send(getTemplate, { params: { name: 'chess' } }, admin)
    expect(answer).toMatchObject({
      name: 'chess',
      display: 'Chess',
      readme: '# Chess',
      icon: '♞',
      supportedEnvironments: [{ type: 'standard' }],
    })
  })

  test('one that nobody touched follows the product', async ({ house }) => {
    const admin = await house.admin()
    await bundle(house, 'chess', { type: 'game', display: 'Old' })

    await bundle(house, 'chess', { type: 'game', display: 'New' })

    expect((await house.send(listTemplates, {}, admin)).answer).toMatchObject([{ name: 'chess', display: 'New' }])
  })

  test('an edited one stays as it was edited', async ({ house }) => {
    const [admin, params] = [await house.admin(), { name: 'chess' }]
    await bundle(house, 'chess', { type: 'game', display: 'Old' })
    await house.send(putTemplate, { params, body: { ...blank, display: 'Mine' } }, admin)

    await bundle(house, 'chess', { type: 'game', display: 'New' })

    expect((await house.send(getTemplate, { params }, admin)).answer.display).toBe('Mine')
  })

  test('a deleted one stays away', async ({ house }) => {
    const [admin, params] = [await house.admin(), { name: 'chess' }]
    await bundle(house, 'chess', { type: 'game' })
    expect((await house.send(deleteTemplate, { params }, admin)).status).toBe(204)

    await bundle(house, 'chess', { type: 'game', display: 'New' })

    expect((await house.send(listTemplates, {}, admin)).answer).toEqual([])
  })

  test('one with the name of a template that people made leaves theirs alone', async ({ house }) => {
    const [admin, params] = [await house.admin(), { name: 'chess' }]
    await house.send(putTemplate, { params, body: { ...blank, type: 'mine' } }, admin)

    await bundle(house, 'chess', { type: 'game' })

    expect((await house.send(getTemplate, { params }, admin)).answer.type).toBe('mine')
  })

  test('a damaged one is left out, and the others come', async ({ house }) => {
    const admin = await house.admin()

    await bundle(house, 'damaged', '{"type":')
    await bundle(house, 'chess', { type: 'game' })

    expect((await house.send(listTemplates, {}, admin)).answer.map(({ name }) => name)).toEqual(['chess'])
  })

  test('without a folder of bundled templates the panel starts all the same', async ({ house }) => {
    await rm(join(house.folder, 'templates'), { recursive: true, force: true })

    await seedTemplates({ db: house.db, templatesDir: join(house.folder, 'templates'), log })

    expect(await house.db.selectFrom('templates').selectAll().execute()).toEqual([])
  })
})

describe('templates of people', () => {
  test('values come back as they were given, and lenient forms are understood', async ({ house }) => {
    const [admin, params] = [await house.admin(), { name: 'Arma3' }]
    const body = {
      type: 'game',
      data: { port: { type: 'integer', value: '2302', required: 'true' } },
      run: { command: 'x', stopCode: '2', autostart: 'true', odd: [1] },
      environment: { type: 'tty', extra: 1 },
    }

    const { status } = await house.ask('PUT', '/api/templates/Arma3', body, admin)

    expect(status).toBe(204)
    const { answer } = await house.send(getTemplate, { params }, admin)
    expect(answer.data.port).toEqual({ type: 'integer', value: '2302', required: true })
    expect(answer.run).toMatchObject({ stopCode: 2, autostart: true, odd: [1] })
    expect(answer.supportedEnvironments).toEqual([{ type: 'tty', extra: 1 }])
  })

  test('a row that is damaged hides that one template only, and is not written over', async ({ house }) => {
    const admin = await house.admin()
    await house.db
      .insertInto('templates')
      .values([
        { name: 'bad', body: '{' },
        { name: 'good', body: '{"type":"x"}' },
      ])
      .execute()

    const list = await house.send(listTemplates, {}, admin)
    const bad = await house.send(getTemplate, { params: { name: 'bad' } }, admin)

    expect(list.answer.map(({ name }) => name)).toEqual(['good'])
    expect([bad.status, bad.refusal, bad.metadata]).toEqual([404, 'ErrNoTemplate', { template: 'bad' }])
    const row = await house.db.selectFrom('templates').select('body').where('name', '=', 'bad').executeTakeFirst()
    expect(row?.body).toBe('{')
  })

  test('who may only view them changes nothing', async ({ house }) => {
    const person = await house.person({ scopes: ['templates.view'] })
    const params = { name: 'x' }

    const put = await house.send(putTemplate, { params, body: blank }, person)
    const removed = await house.send(deleteTemplate, { params }, person)

    expect([put.refusal, removed.refusal]).toEqual(['ErrMissingScope', 'ErrMissingScope'])
    expect((await house.send(listTemplates, {}, person)).answer).toEqual([])
  })

  test('a container that was removed a moment ago is not taken from the template that had it', async ({ house }) => {
    const [admin, editor] = [await house.admin(), await house.person({ scopes: ['templates.edit'] })]
    const template = { ...blank, environment: { type: 'docker', image: 'example/game' } }
    await house.send(putTemplate, { params: { name: 'chess' }, body: template }, admin)
    const db = changedBefore(house.db, () => house.db.deleteFrom('templates').execute())
    const { callerOf } = sessionsService({ db: house.db, now: Date.now })
    const access = accessService({ db: house.db, callerOf })
    const caller = access.holding(await access.caller(editor.token), 'templates.edit')
    const acting: Acting = { by() {}, about() {}, nothing() {}, async done() {} }

    const putting = templatesService({ db, log }).put(caller, 'copy', template, acting)

    await expect(putting).rejects.toMatchObject({ code: 'ErrMissingScope' })
  })

  test('who edits templates without being an administrator makes no containers, and keeps those that there are', async ({
    house,
  }) => {
    const admin = await house.admin()
    const person = await house.person({ scopes: ['templates.edit'] })
    const docker = { type: 'docker', image: '${image}', bindings: { '/srv/maps': '/maps' } }
    const data = { image: { value: 'game' }, port: { value: 1 } }
    const whole = { ...blank, data, supportedEnvironments: [{ type: 'standard' }, docker] }
    const save = (name: string, body: object, as = person) =>
      house.send(putTemplate, { params: { name }, body: { ...blank, ...body } }, as)
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
  /** What the panel says its version is. */
  const etag = ({ headers }: { readonly headers: Readonly<Record<string, unknown>> }) => String(headers.etag)

  test('do not overwrite each other, and the later one hears who was first', async ({ house }) => {
    const [admin, other] = [await house.admin(), await house.person({ scopes: ['templates.edit', 'templates.view'] })]
    await house.send(putTemplate, { params, body: blank }, admin)
    const opened = etag(await house.send(getTemplate, { params }, admin))

    const first = await house.send(putTemplate, { params, body: { ...blank, display: 'Theirs' } }, other, {
      'if-match': opened,
    })
    const second = await house.send(putTemplate, { params, body: { ...blank, display: 'Mine' } }, admin, {
      'if-match': opened,
    })

    expect(first.status).toBe(204)
    expect([second.refusal, second.metadata]).toEqual(['ErrStaleVersion', { by: other.username }])
    const now = await house.send(getTemplate, { params }, admin)
    expect([now.answer.display, etag(now)]).toEqual(['Theirs', etag(first)])
    const again = await house.send(putTemplate, { params, body: blank }, admin, { 'if-match': etag(now) })
    expect(again.status).toBe(204)
  })

  test('one that was deleted meanwhile is not brought back unasked', async ({ house }) => {
    const admin = await house.admin()
    await house.send(putTemplate, { params, body: blank }, admin)
    const opened = etag(await house.send(getTemplate, { params }, admin))
    await house.send(deleteTemplate, { params }, admin)

    const { refusal } = await house.send(putTemplate, { params, body: blank }, admin, { 'if-match': opened })

    expect(refusal).toBe('ErrStaleVersion')
    expect((await house.send(listTemplates, {}, admin)).answer).toEqual([])
  })

  test('a new one does not replace one that is there', async ({ house }) => {
    const admin = await house.admin()
    const create = () => house.send(putTemplate, { params, body: blank }, admin, { 'if-none-match': '*' })

    expect([(await create()).status, (await create()).refusal]).toEqual([204, 'ErrDuplicateTemplateName'])
  })
})
