import { expect, test } from 'vitest'
import { readTemplateFile, sortKeysLike, toComparable } from './template-file.ts'

test.each([
  ['imported-one', 'imported-one'],
  ['Not a name', 'mytpl'],
  [7, 'mytpl'],
  [undefined, 'mytpl'],
])('a template file that calls itself %j is proposed as %s', async (name, proposed) => {
  const read = await readTemplateFile('MyTpl.json', JSON.stringify({ type: 'game', name }))

  expect(read.name).toBe(proposed)
})

test('a template file is not changed', async () => {
  const written = { odd: [1], type: 'game', data: { port: { value: '1', required: 'true' } } }

  const read = await readTemplateFile('Chess.JSON', `\uFEFF${JSON.stringify(written)}`)

  expect(read).toEqual({ name: 'chess', raw: written, notes: undefined })
})

test('a file in the 1.x format is converted and named by its display name', async () => {
  const read = await readTemplateFile(
    'x.json',
    '{"pufferd":{"type":"game","display":"The Game","run":{"program":"a"}}}',
  )

  expect(read.name).toBe('the-game')
  expect(read.raw).toMatchObject({ run: { command: 'a' } })
  expect(read.notes).toEqual([{ kind: 'noEnvironment' }])
})

test('an egg is converted and named by its name', async () => {
  const egg = { meta: { version: 'PTDL_v2' }, name: 'The Game', startup: './x', docker_images: { a: 'example.org/a' } }

  const read = await readTemplateFile('egg.json', JSON.stringify(egg))

  expect(read).toMatchObject({ name: 'the-game', isEgg: true, raw: { run: { command: './x' } }, notes: [] })
})

test.each([
  ['broken JSON', '{"type":', 'JSON'],
  ['a list', '[]', 'The json data is invalid'],
  ['no category', '{"run":{}}', 'type is required'],
])('a file with %s is refused', async (_, content, reason) => {
  await expect(readTemplateFile('a.json', content)).rejects.toThrow(reason)
})

test('an egg of Pelican in YAML is converted like one in JSON', async () => {
  const yaml = `meta:
  version: PLCN_v3
name: 'The Game'
features: {  }
docker_images:
  'Java 21': 'example.org/java:21'
file_denylist: {  }
startup_commands:
  Default: './game --port {{SERVER_PORT}}'
config:
  files: {  }
  startup:
    done: 'Ready. '
  logs: {  }
  stop: quit
scripts:
  installation:
    script: |-
      #!/bin/ash
      cd /mnt/server
    entrypoint: ash
variables: {  }
`

  const read = await readTemplateFile('egg-game.yaml', yaml)

  expect(read).toMatchObject({
    name: 'the-game',
    isEgg: true,
    notes: [],
    raw: {
      run: { command: './game --port {{SERVER_PORT}}', stop: 'quit', readyPattern: 'Ready\\. ' },
      environment: { type: 'docker', image: 'example.org/java:21' },
    },
  })
})

test('a template in YAML is named by its file', async () => {
  expect(await readTemplateFile('Chess.yml', 'type: game\nrun:\n  command: ./chess\n')).toEqual({
    name: 'chess',
    raw: { type: 'game', run: { command: './chess' } },
    notes: undefined,
  })
})

test('a file with broken YAML is refused with its line and column', async () => {
  await expect(readTemplateFile('a.yaml', 'type: game\nrun: [\n')).rejects.toMatchObject({ name: 'YamlError', line: 3 })
})

test('the comparable template has the key order and defaults of the current one', () => {
  const current = {
    run: { stop: 'x', command: 'y' },
    type: 'game',
    name: 'a',
    supportedEnvironments: [{ type: 'tty' }],
  }
  const incoming = { type: 'game', environment: { type: 'tty' }, run: { command: 'y', stop: 'x' } }

  const compared = toComparable(current, incoming, 'a')

  expect(JSON.stringify({ ...compared, environment: undefined, data: undefined })).toBe(JSON.stringify(current))
})

test('keys are sorted like those of another object, in arrays too', () => {
  const ordered = sortKeysLike(
    [{ b: 1, a: { d: 1, c: 1 } }],
    [
      { a: { c: 2, d: 2, e: 2 }, b: 2 },
      { z: 1, y: 1 },
    ],
  )

  expect(JSON.stringify(ordered)).toBe('[{"b":2,"a":{"d":2,"c":2,"e":2}},{"z":1,"y":1}]')
})
