import { mkdir, writeFile } from 'node:fs/promises'
import type { ServerResponse } from 'node:http'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { putSetting } from '@innkeeper/contract/settings/settings'
import { getCatalogTemplate, importTemplate, listCatalog, listImportable } from '@innkeeper/contract/templates/catalog'
import { deleteTemplate, getTemplate, listTemplates, putTemplate } from '@innkeeper/contract/templates/templates'
import pino from 'pino'
import { describe, expect } from 'vitest'
import { readArchive, TemplateIndexServer } from '../testing/template-index-server.ts'
import { TestPanel, type TestUser, test as withHouse } from '../testing/test-panel.ts'
import { indexCacheMs } from './catalog.ts'
import { maxUnpackedIndexBytes } from './index-archive.ts'
import { seedTemplates } from './seed.ts'

interface Place {
  readonly host: TemplateIndexServer
  readonly testPanel: TestPanel
  readonly clock: { now: number }
}

/** A panel with a test index and a controllable clock. */
const test = withHouse.extend<Place>({
  // biome-ignore lint/correctness/noEmptyPattern: the runner reads what a fixture needs from its pattern
  host: async ({}, use) => {
    const host = new TemplateIndexServer()
    await host.open()
    await use(host)
    await host.close()
  },
  // biome-ignore lint/correctness/noEmptyPattern: the runner reads what a fixture needs from its pattern
  clock: async ({}, use) => use({ now: Date.now() }),
  testPanel: async ({ host, clock }, use) => {
    const upstream = { templates: `${host.url.replace('//', '//reader:s3cret@')}/index` }
    const testPanel = await TestPanel.start({ upstream, now: () => clock.now, log: pino({ level: 'silent' }) })
    await use(testPanel)
    await testPanel.stop()
  },
})

async function bundle(testPanel: TestPanel, name: string, template: object): Promise<void> {
  const folder = join(testPanel.folder, 'templates', name)
  await mkdir(folder, { recursive: true })
  await writeFile(join(folder, `${name}.json`), JSON.stringify(template))
}

const chess = { name: 'chess', type: 'game', display: 'Chess', run: { command: 'chess', odd: 1 } }

describe('the catalog', () => {
  test('has bundled templates and those of the index, which take precedence', async ({ testPanel, host }) => {
    const admin = await testPanel.admin()
    await bundle(testPanel, 'chess', { type: 'game', display: 'Older' })
    await bundle(testPanel, 'go', { type: 'game' })
    host.holds(JSON.stringify({ templates: [{ ...chess, readme: '# Rules' }] }))

    const { answer } = await testPanel.send(listCatalog, {}, admin)
    const names = await testPanel.send(listImportable, {}, admin)

    expect(answer.entries).toMatchObject([
      { name: 'chess', display: 'Chess', readme: '# Rules', state: 'new', source: 'index' },
      { name: 'go', type: 'game', state: 'new', source: 'bundled', supportedEnvironments: [{ type: 'standard' }] },
    ])
    expect(answer).toMatchObject({ problems: [], fetchedAt: expect.any(String) as string })
    expect(names.answer).toEqual(['chess', 'go'])
    expect(host.requests).toEqual([{ url: '/index', authorization: `Basic ${btoa('reader:s3cret')}` }])
  })

  test('reports new, equal, edited and updated templates, and importing stores the offered version', async ({
    testPanel,
    host,
    clock,
  }) => {
    const [admin, params] = [await testPanel.admin(), { name: 'chess' }]
    host.holds(JSON.stringify([chess]))
    const state = async () => (await testPanel.send(listCatalog, {}, admin)).answer.entries.map((entry) => entry.state)

    expect(await state()).toEqual(['new'])
    const { status } = await testPanel.send(importTemplate, { params }, admin)
    expect([status, await state()]).toEqual([204, ['same']])

    // Saved as by the editor: with all displayed fields, in another order.
    const { answer } = await testPanel.send(getTemplate, { params }, admin)
    const { type, ...others } = answer
    await testPanel.send(putTemplate, { params, body: { ...others, type } }, admin)
    expect(await state()).toEqual(['same'])
    await testPanel.send(putTemplate, { params, body: { ...answer, display: 'Mine' } }, admin)
    expect(await state()).toEqual(['edited'])

    const update = { ...chess, display: 'Chess 2' }
    host.holds(JSON.stringify([update]))
    clock.now += indexCacheMs
    expect(await state()).toEqual(['changed'])

    expect((await testPanel.send(getCatalogTemplate, { params }, admin)).answer).toMatchObject(update)
    await testPanel.send(importTemplate, { params }, admin)
    expect((await testPanel.send(getTemplate, { params }, admin)).answer).toMatchObject(update)
    expect(await state()).toEqual(['same'])
  })

  withHouse('an administrator sets the index, which must have a public address then', async ({ testPanel }) => {
    const [admin, editor] = [await testPanel.admin(), await testPanel.createUser({ scopes: ['panel.settings'] })]
    const key = 'panel.settings.templateIndex'
    const put = (value: string, by: TestUser) => testPanel.send(putSetting, { params: { key }, body: { value } }, by)
    const problems = async () => (await testPanel.send(listCatalog, {}, admin)).answer.problems

    const before = await problems()
    const refused = [
      await put('https://example.org/index', editor),
      await put('https://reader:s3cret@example.org/', admin),
      await put('file:///etc/passwd', admin),
    ]
    const saved = await put('http://127.0.0.1:9/index', admin)

    expect(before).toEqual([])
    expect(refused.map(({ refusal }) => refusal)).toEqual(['ErrMissingScope', 'ErrFieldInvalid', 'ErrFieldInvalid'])
    expect(saved.status).toBe(204)
    expect(await problems()).toMatchObject([
      {
        name: '127.0.0.1:9',
        code: 'ErrIndexUnavailable',
        reason: expect.stringContaining('not on the public') as string,
      },
    ])
  })

  test('a template changed since it was compared is not overwritten', async ({ testPanel, host }) => {
    const [admin, params] = [await testPanel.admin(), { name: 'chess' }]
    host.holds(JSON.stringify([chess]))
    await testPanel.send(importTemplate, { params }, admin)
    const version = String((await testPanel.send(getTemplate, { params }, admin)).headers.etag)
    await testPanel.send(putTemplate, { params, body: { type: 'game', data: {}, run: {}, display: 'Theirs' } }, admin)

    const stale = await testPanel.send(importTemplate, { params }, admin, { 'if-match': version })
    const conflict = await testPanel.send(importTemplate, { params }, admin, { 'if-none-match': '*' })

    expect([stale.refusal, conflict.refusal]).toEqual(['ErrStaleVersion', 'ErrDuplicateTemplateName'])
    expect((await testPanel.send(getTemplate, { params }, admin)).answer.display).toBe('Theirs')
  })

  test('an unknown name is rejected, as are users who may not edit templates', async ({ testPanel }) => {
    const [admin, viewer] = [await testPanel.admin(), await testPanel.createUser({ scopes: ['templates.view'] })]
    const params = { name: 'nothing' }

    const unknown = await testPanel.send(importTemplate, { params }, admin)
    const list = await testPanel.send(listCatalog, {}, viewer)

    expect([unknown.status, unknown.refusal]).toEqual([404, 'ErrNoTemplate'])
    expect(list.refusal).toBe('ErrMissingScope')
  })

  test('a new container can be imported by administrators only', async ({ testPanel, host }) => {
    const [admin, editor] = [
      await testPanel.admin(),
      await testPanel.createUser({ scopes: ['templates.edit', 'templates.view'] }),
    ]
    const environment = { type: 'docker', image: 'example.org/chess', networkMode: 'host' }
    host.holds(
      JSON.stringify([
        { ...chess, environment },
        { ...chess, name: 'go' },
      ]),
    )
    const importAs = async (name: string, as: TestUser) =>
      (await testPanel.send(importTemplate, { params: { name } }, as)).refusal ?? 'done'

    expect([await importAs('go', editor), await importAs('chess', editor)]).toEqual(['done', 'ErrMissingScope'])
    expect([await importAs('chess', admin), await importAs('chess', editor)]).toEqual(['done', 'done'])
  })

  test('a deleted bundled template can be imported again', async ({ testPanel }) => {
    const [admin, params] = [await testPanel.admin(), { name: 'chess' }]
    await bundle(testPanel, 'chess', chess)
    await testPanel.send(importTemplate, { params }, admin)
    await testPanel.send(deleteTemplate, { params }, admin)

    await testPanel.send(importTemplate, { params }, admin)

    expect((await testPanel.send(listTemplates, {}, admin)).answer).toMatchObject([{ name: 'chess' }])
  })
})

test('a template of the index is not replaced by the bundled one at the next start', async ({ testPanel, host }) => {
  const [admin, params] = [await testPanel.admin(), { name: 'chess' }]
  await bundle(testPanel, 'chess', { type: 'game', display: 'Bundled' })
  host.holds(JSON.stringify([chess]))
  await testPanel.send(importTemplate, { params }, admin)

  await seedTemplates({
    db: testPanel.db,
    templatesDir: join(testPanel.folder, 'templates'),
    log: pino({ level: 'silent' }),
  })

  expect((await testPanel.send(getTemplate, { params }, admin)).answer.display).toBe('Chess')
})

describe('a snapshot of a repository', () => {
  test('is parsed by its rules, and invalid templates are listed with the reason', async ({ testPanel, host }) => {
    const admin = await testPanel.admin()
    const text = JSON.stringify({ type: 'game' })
    host.holds(
      await readArchive({
        'repo-main/README.md': 'of the repository',
        'repo-main/spec.json': text,
        'repo-main/.github/ci.json': text,
        'repo-main/Chess/Chess.json': text,
        'repo-main/Chess/Chess-Docker.json': text,
        'repo-main/Chess/Chess.md': 'of chess',
        'repo-main/Chess/README.md': 'of the folder',
        'repo-main/Chess/data.json': '{}',
        'repo-main/Chess/deeper/no.json': text,
        'repo-main/Chess/skipped.json.skip': text,
        'repo-main/ftb-117+/ftb-117+.json': text,
        'repo-main/broken/broken.json': '"type": "game" }',
        'repo-main/broken/list.json': '[]',
        'repo-main/broken/old.json': '{"pufferd":{"type":"game"}}',
        'repo-main/broken/untyped.json': '{"run":{}}',
        'repo-main/broken/odd value.json': text,
        'repo-main/broken/steps.json': '{"type":"x","install":[{"files":"a"}]}',
        'repo-main/other/chess.json': text,
        'repo-main/proto/proto.json': '{"type":"x","data":{"__proto__":{}}}',
      }),
    )

    const { answer } = await testPanel.send(listCatalog, {}, admin)

    expect(answer.entries.map(({ name, readme }) => [name, readme])).toEqual([
      ['chess', 'of chess'],
      ['chess-docker', 'of the folder'],
      ['ftb-117+', undefined],
    ])
    expect(answer.problems.map(({ name, code, metadata }) => [name, code, metadata.field])).toEqual([
      ['broken', 'ErrInvalidJson', undefined],
      ['list', 'ErrInvalidJson', undefined],
      ['odd value', 'ErrFieldHasURICharacters', ''],
      ['old', 'ErrOldTemplate', undefined],
      ['steps', 'ErrFieldRequired', 'install.0.type'],
      ['untyped', 'ErrFieldRequired', 'type'],
      ['chess', 'ErrTwiceInIndex', undefined],
      ['proto', 'ErrInvalidJson', undefined],
    ])
    expect(answer.problems[4]?.reason).toBe('install.0.type is required')
    expect((await testPanel.send(importTemplate, { params: { name: 'ftb-117+' } }, admin)).status).toBe(204)
    expect((await testPanel.send(getTemplate, { params: { name: 'ftb-117+' } }, admin)).answer.type).toBe('game')
  })

  test('without a common root folder is parsed too', async ({ testPanel, host }) => {
    const admin = await testPanel.admin()
    host.holds(await readArchive({ 'chess/chess.json': '{"type":"game"}', 'go/go.json': '{"type":"game"}' }))

    expect((await testPanel.send(listImportable, {}, admin)).answer).toEqual(['chess', 'go'])
  })
})

describe('an index', () => {
  test('is fetched once in five minutes, and an unavailable one keeps the known templates', async ({
    testPanel,
    host,
    clock,
  }) => {
    const admin = await testPanel.admin()
    await bundle(testPanel, 'go', { type: 'game' })
    host.holds(JSON.stringify([chess]))
    const list = async () => (await testPanel.send(listCatalog, {}, admin)).answer
    const names = async () => (await list()).entries.map(({ name }) => name)

    await Promise.all([names(), names()])
    await names()
    expect(host.requests).toHaveLength(1)

    host.answer = (response) => void response.writeHead(404).end()
    clock.now += indexCacheMs
    const { entries, problems } = await list()
    expect(entries.map(({ name }) => name)).toEqual(['chess', 'go'])
    const { host: place } = new URL(host.url)
    expect(problems).toMatchObject([{ name: place, code: 'ErrIndexUnavailable' }])
    expect(problems[0]?.reason).toBe('The index of templates cannot be read: 127.0.0.1 answered 404')
    expect(JSON.stringify(problems)).not.toContain('s3cret')

    // The next call fetches it again.
    host.holds('[]')
    expect(await names()).toEqual(['go'])
  })

  test('is fetched again after the clock was set back', async ({ testPanel, host, clock }) => {
    const admin = await testPanel.admin()
    const list = () => testPanel.send(listCatalog, {}, admin)
    host.holds('[]')
    await list()

    clock.now -= indexCacheMs
    await list()

    expect(host.requests).toHaveLength(2)
  })

  test.for<[string, (host: TemplateIndexServer) => void, RegExp]>([
    [
      'is aborted',
      (host) => (host.answer = (response) => response.writeHead(200).write('[', () => response.destroy())),
      /127\.0\.0\.1/,
    ],
    ['is not JSON', (host) => host.holds('<html>'), /not valid JSON/],
    ['is something else', (host) => host.holds('{"a":1}'), /neither a list/],
    ['is a zip', (host) => host.holds(Buffer.from('PK\u0003\u0004')), /use \.tar\.gz/],
    ['is a damaged archive', (host) => host.holds(gzipSync('x'.repeat(2_000)).subarray(0, 30)), /damaged/],
    ['is an archive of nonsense', (host) => host.holds(gzipSync('x'.repeat(2_000))), /damaged/],
    ['is a decompression bomb', (host) => host.holds(gzipSync(Buffer.alloc(maxUnpackedIndexBytes + 1))), /too large/],
    ['is an endless response', (host) => (host.answer = (response) => endless(response)), /sends more than/],
    [
      'redirects to itself',
      (host) => (host.answer = (response) => redirect(response, host.url)),
      /redirects too often/,
    ],
    [
      'redirects to a private address',
      (host) => (host.answer = (response) => redirect(response, 'http://127.0.0.1:9')),
      /not on the public/,
    ],
    [
      'redirects to a private host name',
      (host) => (host.answer = (response) => redirect(response, 'http://localhost:9')),
      /not on the public/,
    ],
    [
      'redirects to a file',
      (host) => (host.answer = (response) => redirect(response, 'file:///etc/passwd')),
      /unsupported URL/,
    ],
  ])(
    'that %s is a named problem, and bundled templates are available',
    async ([, ill, reason], { testPanel, host }) => {
      const admin = await testPanel.admin()
      await bundle(testPanel, 'go', { type: 'game' })
      ill(host)

      const { answer } = await testPanel.send(listCatalog, {}, admin)
      const { refusal } = await testPanel.send(importTemplate, { params: { name: 'chess' } }, admin)

      expect(answer.entries.map(({ name }) => name)).toEqual(['go'])
      expect(answer.problems).toHaveLength(1)
      expect(answer.problems[0]?.reason).toMatch(reason)
      expect(refusal).toBe('ErrIndexUnavailable')
    },
  )
})

function redirect(response: ServerResponse, location: string): void {
  response.writeHead(302, { location }).end()
}

function endless(response: ServerResponse): void {
  const part = Buffer.alloc(1024 * 1024)
  const more = () => {
    if (!response.destroyed) response.write(part, () => setImmediate(more))
  }
  more()
}
