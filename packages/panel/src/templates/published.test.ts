import { getEnvironment, Template } from '@innkeeper/contract/definitions/definition'
import { problemsOfDefinition } from '@innkeeper/contract/definitions/definition-problems'
import { importTemplate, listCatalog } from '@innkeeper/contract/templates/catalog'
import { getTemplate, putTemplate } from '@innkeeper/contract/templates/templates'
import { otherFiles, unusable } from '@innkeeper/contract/testing/published/further'
import { type Published, published } from '@innkeeper/contract/testing/published/published'
import pino from 'pino'
import { expect } from 'vitest'
import { missingValues } from '../testing/missing-values.ts'
import { publishedShapes } from '../testing/published-shapes.ts'
import { readArchive, TemplateIndexServer } from '../testing/template-index-server.ts'
import { TestPanel, test as withHouse } from '../testing/test-panel.ts'

interface Place {
  readonly host: TemplateIndexServer
  readonly testPanel: TestPanel
}

/** A panel with a test index. */
const test = withHouse.extend<Place>({
  // biome-ignore lint/correctness/noEmptyPattern: the runner reads what a fixture needs from its pattern
  host: async ({}, use) => {
    const host = new TemplateIndexServer()
    await host.open()
    await use(host)
    await host.close()
  },
  testPanel: async ({ host }, use) => {
    const testPanel = await TestPanel.start({ upstream: { templates: host.url }, log: pino({ level: 'silent' }) })
    await use(testPanel)
    await testPanel.stop()
  },
})

const patience = 60_000
/** Text for fields that must be the name of a template. */
const namesInside: readonly unknown[] = ['', ' ', 'a b', '../x', 'Ä', 'x'.repeat(300), 7, null, {}, ['a']]

/** As in a repository: a container template beside one for the host. */
function getFiles(set: readonly Published[]): Record<string, string> {
  return Object.fromEntries(
    set.map(({ name, definition }) => [
      `repository-v1/${name.replace(/-docker$/, '')}/${name}.json`,
      JSON.stringify(definition),
    ]),
  )
}

test.for(Object.entries(published))(
  'each template of %s is imported without loss, and other files are listed with the reason',
  { timeout: patience },
  async ([, set], { testPanel, host }) => {
    const admin = await testPanel.admin()
    const wrong = Object.fromEntries(unusable.map(({ path, text }) => [`repository-v1/${path}`, text]))
    const others = Object.fromEntries(otherFiles.map((path) => [`repository-v1/${path}`, '{}']))
    host.holds(await readArchive({ ...getFiles(set), ...wrong, ...others }))

    const { answer: before } = await testPanel.send(listCatalog, {}, admin)
    const results: [name: string, status: number, gone: string[]][] = []
    for (const { name, definition } of set) {
      const params = { name: name.toLowerCase() }
      const { status } = await testPanel.send(importTemplate, { params }, admin)
      const { answer } = await testPanel.send(getTemplate, { params }, admin)
      results.push([name, status, missingValues(definition, answer)])
    }
    const { answer: after } = await testPanel.send(listCatalog, {}, admin)

    expect(before.entries.map(({ name, state }) => [name, state])).toEqual(
      set.map(({ name }) => [name.toLowerCase(), 'new']).toSorted(),
    )
    expect(before.problems.map(({ name, code }) => [name, code]).toSorted()).toEqual(
      unusable.map(({ path, code }) => [path.split('/')[0], code]).toSorted(),
    )
    expect(results).toEqual(set.map(({ name }) => [name, 204, []]))
    expect(after.entries.filter(({ state }) => state !== 'same').map(({ name }) => name)).toEqual([])
  },
)

test('the path names a template, whatever name the file has', { timeout: patience }, async ({ testPanel, host }) => {
  const admin = await testPanel.admin()
  const names = [
    ...Object.values(published)
      .flat()
      .map(({ name }) => name),
    ...namesInside,
    ...namesInside.map(String),
  ]
  const params = { name: 'chess' }
  const template = { type: 'game', data: {}, run: {} }

  for (const name of names) {
    const body = { ...template, name }
    for (const [method, path] of [
      ['PUT', '/api/templates/chess'],
      ['POST', '/api/catalog/templates/chess'],
    ] as const) {
      const { status } = await testPanel.request(method, path, body, admin)
      expect([name, method, status]).toEqual([name, method, 204])
    }
    expect((await testPanel.send(getTemplate, { params }, admin)).answer.name).toBe('chess')
  }
  host.holds(await readArchive({ 'go/go.json': JSON.stringify({ ...template, name: 'Not a name / at all' }) }))
  const imported = await testPanel.send(importTemplate, { params: { name: 'go' } }, admin)
  expect(imported.status).toBe(204)
  expect((await testPanel.send(getTemplate, { params: { name: 'go' } }, admin)).answer.name).toBe('go')
})

test('a template that cannot run can be imported, and the catalog lists its problems', async ({ testPanel, host }) => {
  const admin = await testPanel.admin()
  const broken = {
    type: 'game',
    name: 'Old Game',
    data: { 'a b': {} },
    install: [{ type: 'fly' }],
    run: { stopCode: 65 },
  }
  host.holds(JSON.stringify([broken]))

  const { answer } = await testPanel.send(listCatalog, {}, admin)
  const imported = await testPanel.send(importTemplate, { params: { name: 'old-game' } }, admin)
  const saved = await testPanel.request('PUT', '/api/templates/old-game', broken, admin)

  expect(answer.entries[0]?.warnings.map(({ code, metadata }) => [code, metadata.field])).toEqual([
    ['ErrFieldNotBetween', 'run.stopCode'],
    ['ErrVariableName', 'data.a b'],
    ['ErrMissingFactory', 'install.0.type'],
  ])
  expect(imported.status).toBe(204)
  expect([saved.status, saved.refusal, saved.metadata?.field]).toEqual([400, 'ErrFieldNotBetween', 'run.stopCode'])
})

test('published templates of every kind are imported and returned without loss', {
  timeout: patience,
}, async ({ testPanel, host }) => {
  const admin = await testPanel.admin()
  const shapes = Object.entries(publishedShapes).map(([why, shape], at) => ({ why, name: `shape-${at}`, shape }))
  host.holds(JSON.stringify(shapes.map(({ name, shape }) => ({ ...shape, name }))))

  const { answer } = await testPanel.send(listCatalog, {}, admin)
  expect(answer.problems).toEqual([])
  for (const { why, name, shape } of shapes) {
    const { status } = await testPanel.send(importTemplate, { params: { name } }, admin)
    const { answer: read } = await testPanel.send(getTemplate, { params: { name } }, admin)
    expect([why, status, missingValues(shape, read)]).toEqual([why, 204, []])
    expect(getEnvironment(Template.parse(read)).type, why).not.toBe('')
    // Saved again as by the editor: now a template that cannot run is rejected.
    const saved = await testPanel.send(putTemplate, { params: { name }, body: read }, admin)
    expect([why, saved.status]).toEqual([why, problemsOfDefinition(Template.parse(shape)).length > 0 ? 400 : 204])
    const response = await testPanel.send(getTemplate, { params: { name } }, admin)
    expect([why, response.answer]).toEqual([why, read])
  }
  const states = (await testPanel.send(listCatalog, {}, admin)).answer.entries.map(({ name, state }) => [name, state])
  expect(states.filter(([, state]) => state !== 'same')).toEqual([])
})
