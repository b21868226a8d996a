import { expect, test } from 'vitest'
import { evaluateSync } from '../definitions/conditions.ts'
import { issuesOfStep, permissionOfStep } from '../definitions/operations.ts'
import { getFiles } from './config-files.ts'
import { getDeniedFiles } from './convert-egg.ts'

test('all parsers become steps with typed values, and references become variables', () => {
  const dropped: string[] = []
  const files = {
    'config.yml': {
      parser: 'yml',
      find: {
        'listeners[0].host': '0.0.0.0:{{server.build.default.port}}',
        'spawn-limits.monsters': 15,
        online: true,
        nothing: null,
        'servers.*.address': {
          'regex:^(127\\.0\\.0\\.1|localhost)(:\\d{1,5})?$': '{{config.docker.interface}}$2',
          localhost: '{{config.docker.network.interface}}',
        },
      },
    },
    '/cfg/a.json': { parser: 'json', find: { port: '{{ server.allocations.default.port }}', id: '{{server.uuid}}' } },
    'b.ini': { parser: 'ini', find: { '[s].k': '{{env.A}}{{server.environment.B}}{{server.build.env.SERVER_PORT}}' } },
    'c.xml': { parser: 'xml', find: { 'R.E': "[value='{{env.A}}']", 'R.T': 'x' } },
    'e.toml': { parser: 'toml', find: { bind: '0.0.0.0:{{server.build.default.port}}' } },
    'd.cfg': { parser: 'file', find: { 'name =': 'name = "{{env.A}}"' }, create_file: false },
  }

  const steps = getFiles(files, (where) => dropped.push(where))

  expect(dropped).toEqual([])
  expect(steps).toEqual([
    {
      type: 'editconfig',
      file: 'config.yml',
      format: 'yaml',
      changes: [
        { path: 'listeners[0].host', value: '0.0.0.0:${port}' },
        { path: 'spawn-limits.monsters', value: 15 },
        { path: 'online', value: true },
        { path: 'nothing', value: null },
        {
          path: 'servers.*.address',
          value: '${hostAddress}$2',
          when: 'regex:^(127\\.0\\.0\\.1|localhost)(:\\d{1,5})?$',
        },
        { path: 'servers.*.address', value: '${hostAddress}', when: 'localhost' },
      ],
    },
    {
      type: 'editconfig',
      file: 'cfg/a.json',
      format: 'json',
      changes: [
        { path: 'port', value: '${port}' },
        { path: 'id', value: '${serverId}' },
      ],
    },
    { type: 'editconfig', file: 'b.ini', format: 'ini', changes: [{ path: '[s].k', value: '${A}${B}${port}' }] },
    {
      type: 'editconfig',
      file: 'c.xml',
      format: 'xml',
      changes: [
        { path: 'R.E.@value', value: '${A}' },
        { path: 'R.T', value: 'x' },
      ],
    },
    {
      type: 'editconfig',
      file: 'e.toml',
      format: 'toml',
      changes: [{ path: 'bind', value: '0.0.0.0:${port}' }],
    },
    {
      type: 'editconfig',
      if: 'file_exists("d.cfg")',
      file: 'd.cfg',
      format: 'file',
      changes: [{ path: 'name =', value: 'name = "${A}"' }],
    },
  ])
  for (const step of steps) {
    expect(issuesOfStep(step)).toEqual([])
    expect(permissionOfStep(step)).toBe('putServerFiles')
  }
})

test('names of files may contain variables', () => {
  const find = { a: '1' }
  const files = {
    'cfg/{{SERVER_PORT}}-{{env.WORLD}}.ini': { parser: 'ini', find, create_file: false },
    '{{server.build.io}}.ini': { parser: 'ini', find },
  }
  const dropped: string[] = []

  const [step] = getFiles(files, (where) => dropped.push(where))

  const values = new Map([
    ['port', '7000'],
    ['WORLD', 'valley'],
  ])
  const fileExists = (path: string) => path === 'cfg/7000-valley.ini'
  expect(step).toMatchObject({ file: 'cfg/${port}-${WORLD}.ini' })
  expect(evaluateSync(String(step?.if), { values, fileExists })).toBe(true)
  expect(dropped).toEqual(['config.files.{{server.build.io}}.ini'])
})

test('what cannot be converted is named', () => {
  const dropped: string[] = []
  const files = {
    '../a.ini': { parser: 'ini', find: { a: '1' } },
    'b/../../c': { parser: 'ini', find: { a: '1' } },
    '${A}.ini': { parser: 'ini', find: { a: '1' } },
    'd.plist': { parser: 'plist', find: { a: '1' } },
    'e.json': {
      parser: 'json',
      find: { a: '{{server.build.io}}', b: ['x'], c: { x: { y: 'z' } }, d: { x: '{{server.build.swap}}' }, ok: 1 },
    },
    f: 'x',
    'g.ini': { parser: 'ini' },
  }

  const steps = getFiles(files, (where) => dropped.push(where))

  expect(steps).toEqual([{ type: 'editconfig', file: 'e.json', format: 'json', changes: [{ path: 'ok', value: 1 }] }])
  expect(dropped).toEqual([
    'config.files.../a.ini',
    'config.files.b/../../c',
    'config.files.${A}.ini',
    'config.files.d.plist',
    'config.files.e.json.a',
    'config.files.e.json.b',
    'config.files.e.json.c.x',
    'config.files.e.json.d.x',
    'config.files.f',
  ])
})

test.each<[unknown, string[]]>([
  [['PalServer.sh', '', 7], ['PalServer.sh']],
  ['["a","b"]', ['a', 'b']],
  ['a\r\n\nb', ['a', 'b']],
  [{}, []],
  [null, []],
])('the denied files %j are %j', (input, patterns) => {
  expect(getDeniedFiles(input)).toEqual(patterns)
})
