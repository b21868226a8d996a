import { expect, test } from 'vitest'
import { Definition } from './definition.ts'
import { validateUse } from './value-uses.ts'
import type { Variable } from './variables.ts'

const game = Definition.parse({
  type: 'game',
  install: [{ type: 'command', commands: ['./setup --rev ${version} ${more}', './fetch -- ${repository}'] }],
  run: {
    command: './game -console +map ${map} -name="${name}" -seed ${seed} ${mode} ?Name=${name} ${main}',
    pre: [
      { type: 'writefile', target: 'a.cfg', text: 'hostname "${name}"', escape: 'quoted' },
      { type: 'writefile', target: 'b.cfg', text: 'free ${free}' },
      { type: 'alterfile', file: 'c.ini', search: 'x', replace: 'x=${folder}', escape: 'ini' },
      { type: 'alterfile', file: 'd.js', search: 'x', replace: '"${name}"', escape: 'json' },
    ],
  },
})

test.each<[string, Variable, string, string | undefined]>([
  ['map', {}, '+rcon_password', 'ErrFieldLikeOption'],
  ['map', {}, '-port', 'ErrFieldLikeOption'],
  ['map', { type: 'integer' }, '-1', undefined],
  ['map', {}, '-1.5', undefined],
  ['map', { type: 'option' }, '-a', undefined],
  ['map', { value: '-a' }, '-b', undefined],
  ['map', {}, 'de_dust2 +quit', undefined],
  ['version', {}, '--help', 'ErrFieldLikeOption'],
  ['more', {}, '--help', undefined],
  ['repository', {}, '--upload-pack=x', undefined],
  ['name', {}, '-x', undefined],
  ['main', {}, '-c', undefined],
  ['name', {}, 'a "b"', 'ErrFieldCharacters'],
  ['name', {}, 'a\nb', 'ErrFieldNotOneLine'],
  ['free', {}, 'a "b"\n', undefined],
  ['folder', {}, 'a\\', 'ErrFieldCharacters'],
  ['unused', {}, '-"\n', undefined],
  ['map', {}, '', undefined],
])('%s as %j %j: %s', (name, variable, value, code) => {
  expect(validateUse(game, name, variable, value, 'Label')?.code).toBe(code)
})

test('a value is checked in commands with conditions, and in a program with arguments', () => {
  for (const run of [
    { command: [{ if: 'x', command: 'a' }, { command: 'a -b ${v}' }] },
    { program: 'a', arguments: ['-b', '${v}'] },
  ]) {
    const definition = Definition.parse({ type: 'game', run })
    expect(validateUse(definition, 'v', {}, '-c')?.metadata).toEqual({ field: 'v' })
  }
})

test('an address and a port of a container must be ones where ports are published', () => {
  const portBindings = ['${ip}:${port}:1']
  const withMode = (networkMode: string) =>
    Definition.parse({ type: 'x', supportedEnvironments: [{ type: 'docker', networkMode, portBindings }] })
  const findCode = (mode: string, name: string, value: string) => validateUse(withMode(mode), name, {}, value)?.code

  expect([findCode('bridge', 'ip', '::'), findCode('bridge', 'ip', '127.0.0.1'), findCode('bridge', 'ip', '')]).toEqual(
    Array.from({ length: 3 }, () => undefined),
  )
  expect([
    findCode('bridge', 'ip', '[::]'),
    findCode('bridge', 'ip', 'example.com'),
    findCode('bridge', 'port', '0'),
  ]).toEqual(Array.from({ length: 3 }, () => 'ErrFieldInvalid'))
  expect(findCode('host', 'ip', 'example.com')).toBeUndefined()
})
