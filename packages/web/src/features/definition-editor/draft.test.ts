import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { changedSections, toDefinition, toDraft } from './draft.ts'
import {
  availableTypes,
  changeEnvironmentType,
  getEnvironments,
  setDefaultEnvironment,
  setEnvironments,
} from './environments.ts'
import { getGroups, setGroups } from './groups-card.tsx'
import { formatJson, type JsonObject, keepNumber, setIn } from './json-path.ts'
import { oddDefinitions } from './testing/odd-definitions.ts'
import { hasField, isShownInJson, validateDefinition, validateDraft } from './validation.ts'
import { selectOption, setBoolean, setType, setValue, updateOption, validateNames } from './variables.ts'

const root = new URL('../../../../../templates/', `file://${import.meta.dirname}/`)
const bundled: Readonly<Record<string, JsonObject>> = Object.fromEntries(
  readdirSync(root, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => [name, JSON.parse(readFileSync(new URL(`${name}/${name}.json`, root), 'utf8')) as JsonObject]),
)
const all = Object.entries({ ...bundled, ...oddDefinitions })

describe('an unchanged definition', () => {
  test('exists in the bundled templates', () => expect(Object.keys(bundled).length).toBeGreaterThan(3))

  test.each(all)('is kept as it is: %s', (_, raw) => {
    const through = toDefinition(toDraft(raw), raw)

    expect(formatJson(through)).toBe(formatJson(raw))
    expect(formatJson(toDefinition(toDraft(JSON.parse(formatJson(through)) as JsonObject), raw))).toBe(formatJson(raw))
  })

  test.each(Object.entries(bundled))('has no blocking issues: %s', (_, raw) => {
    expect(validateDraft(toDraft(raw), raw, 'template').filter(({ isBlocking }) => isBlocking)).toEqual([])
  })
})

describe('rows', () => {
  const base: JsonObject = { type: 'x', data: { a: { value: '1' } }, run: { environmentVars: { TZ: 'UTC' } } }

  test('without a name and added blank steps are left out', () => {
    const draft = toDraft({ ...base, install: [{ type: 'mkdir', target: '' }] })
    const more = {
      ...draft,
      variables: [...draft.variables, { id: 9, name: ' ', variable: { value: 'x' } }],
      environmentVars: [...draft.environmentVars, { id: 9, name: '', value: 'x' }],
    }

    expect(toDefinition(more, base)).toEqual({ ...base, install: [] })
  })

  test('keep the order that the user gave them', () => {
    const draft = toDraft({ ...base, data: { a: {}, b: {} } })
    const turned = toDefinition({ ...draft, variables: draft.variables.toReversed() }, base)

    expect(Object.keys(turned.data as object)).toEqual(['b', 'a'])
    expect(changedSections(draft.raw, turned)).toEqual(['variables'])
  })

  test('with a duplicate, reserved or spaced name have an issue', () => {
    const rows = ['a', 'b c', 'a', '', '__proto__'].map((name, index) => ({ id: index + 1, name, variable: {} }))

    expect([...validateNames(rows)]).toEqual([
      [2, 'name'],
      [3, 'duplicate'],
      [5, 'reserved'],
    ])
  })
})

describe('groups', () => {
  const groups = [{ display: 'B', order: 20, odd: 1 }, { display: 'A', order: '10' }, { display: 'Z' }]
  const names = (raw: JsonObject) => getGroups(raw).map(({ display }) => display)

  test('are sorted by their order field, which is kept while it sorts them the same', () => {
    const raw = { type: 'x', groups }
    const [z, a, b] = getGroups(raw)
    const renamed = setGroups(raw, [{ ...z, display: 'Y' }, a ?? {}, b ?? {}])

    expect(names(raw)).toEqual(['Z', 'A', 'B'])
    expect(renamed.groups).toEqual([{ display: 'Y' }, groups[1], groups[0]])
    expect(setGroups(raw, [])).toEqual({ type: 'x' })
  })

  test('get new order fields when they are moved', () => {
    const raw = { type: 'x', groups }
    const moved = setGroups(raw, getGroups(raw).toReversed())

    expect(names(moved)).toEqual(['B', 'A', 'Z'])
    expect(moved.groups).toEqual([
      { display: 'B', order: 1, odd: 1 },
      { display: 'A', order: 2 },
      { display: 'Z', order: 3 },
    ])
    expect(setGroups({}, [{ display: 'B' }, { display: 'A' }]).groups).toEqual([{ display: 'B' }, { display: 'A' }])
  })
})

test('setting a value keeps the order of keys, and undefined removes the key', () => {
  const raw: JsonObject = { z: 1, run: { b: 1, a: 2 }, type: 'x' }

  expect(formatJson(setIn(raw, ['run', 'b'], 3))).toBe(formatJson({ z: 1, run: { b: 3, a: 2 }, type: 'x' }))
  expect(setIn(raw, ['run', 'b'], undefined).run).toEqual({ a: 2 })
  expect(setIn(raw, ['new', 'part'], 1).new).toEqual({ part: 1 })
  expect([keepNumber(17, '21'), keepNumber('17', '21'), keepNumber(17, '${v}')]).toEqual([21, '21', '${v}'])
})

describe('a variable', () => {
  test('keeps a text value as text, and takes the type of the variable otherwise', () => {
    expect(setValue({ type: 'integer', value: '1' }, '2').value).toBe('2')
    expect(setValue({ type: 'integer', value: 1 }, '2').value).toBe(2)
    expect(setValue({ type: 'integer', value: '' }, '2').value).toBe(2)
    expect(setValue({ type: 'string', value: '' }, '2').value).toBe('2')
    expect([setBoolean({ value: 'True' }, false).value, setBoolean({}, true).value]).toEqual(['false', true])
  })

  test('of type option has a list of options, and keeps an existing one', () => {
    expect(setType({ type: 'string', value: 'a' }, 'option')).toEqual({ type: 'option', value: 'a', options: [] })
    expect(setType({ options: [{ value: 1 }] }, 'option').options).toEqual([{ value: 1 }])
    expect(updateOption({ options: [{ value: 1, more: true }] }, 0, { display: 'One' }).options).toEqual([
      { value: 1, more: true, display: 'One' },
    ])
    expect(selectOption({ options: [{ value: 1 }] }, '1').value).toBe(1)
  })
})

describe('environments', () => {
  const raw: JsonObject = {
    type: 'x',
    environment: { type: 'standard', limits: { memory: 512 } },
    supportedEnvironments: [{ type: 'standard' }, { type: 'docker', image: 'a' }],
  }

  test('can be added once per type, also under an alias', () => {
    expect(availableTypes(getEnvironments(raw))).toEqual(['tty'])
    expect(availableTypes([{ type: 'host' }, { type: 'container' }])).toEqual(['standard'])
  })

  test('update the default environment, or remove it', () => {
    const byDocker = setDefaultEnvironment(raw, 'docker')
    expect(byDocker.environment).toEqual({ type: 'docker', image: 'a' })

    expect(setEnvironments(byDocker, [{ type: 'docker', image: 'b' }]).environment).toEqual({
      type: 'docker',
      image: 'b',
    })
    expect(setEnvironments(byDocker, [{ type: 'tty' }])).not.toHaveProperty('environment')
  })

  test('of a server come from the supported ones, with the limits of the server', () => {
    expect(changeEnvironmentType(raw, 'docker')).toEqual({ type: 'docker', image: 'a', limits: { memory: 512 } })
    expect(changeEnvironmentType(raw, 'tty')).toEqual({ type: 'tty', limits: { memory: 512 } })
  })
})

test('an invalid ready pattern is an issue of its field, in the form and in the JSON', () => {
  const raw: JsonObject = { type: 'x', run: { readyPattern: '(a)\\1' } }
  const issue = { type: 'pattern', section: 'run', path: 'run.readyPattern', isBlocking: true }

  const issues = validateDraft(toDraft(raw), raw, 'server')

  expect(issues).toMatchObject([issue])
  expect(validateDefinition(raw, 'template')).toMatchObject([issue])
  expect(issues.every(hasField) && issues.every(isShownInJson)).toBe(true)
})

test('only what the panel would refuse is a blocking issue', () => {
  const raw: JsonObject = {
    type: '',
    data: { a: { type: 'integer', value: 'x' } },
    install: [{ type: 'mkdir' }, { type: 'move', source: 'a' }],
  }
  const issues = validateDraft(toDraft(raw), { type: 'x' }, 'template')

  expect(issues.map(({ path, isBlocking }) => [path, isBlocking])).toEqual([
    ['type', true],
    ['variables/1/value', false],
    ['install/1.target', false],
  ])
})
