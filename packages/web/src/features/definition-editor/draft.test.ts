import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { changedSections, draftOf, rawOf } from './draft.ts'
import { environmentsIn, freeTypes, retyped, withDefault, withEnvironments, withLimit } from './environments.ts'
import { groupsIn, withGroups } from './groups.ts'
import { hasFieldFor, isInJson, problemsIn, problemsOfWhole } from './problems.ts'
import { formatRaw, type Raw, typedLike, withPart } from './raw.ts'
import { oddDefinitions } from './testing/odd-definitions.ts'
import { chosen, ofType, problemsOfNames, switchedTo, withOption, withValue } from './variables.ts'

const root = new URL('../../../../../templates/', `file://${import.meta.dirname}/`)
const bundled: Readonly<Record<string, Raw>> = Object.fromEntries(
  readdirSync(root, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => [name, JSON.parse(readFileSync(new URL(`${name}/${name}.json`, root), 'utf8')) as Raw]),
)
const all = Object.entries({ ...bundled, ...oddDefinitions })

describe('a definition that was only opened', () => {
  test('is there at all', () => expect(Object.keys(bundled).length).toBeGreaterThan(3))

  test.each(all)('is as it was: %s', (_, raw) => {
    const through = rawOf(draftOf(raw), raw)

    expect(formatRaw(through)).toBe(formatRaw(raw))
    expect(formatRaw(rawOf(draftOf(JSON.parse(formatRaw(through)) as Raw), raw))).toBe(formatRaw(raw))
  })

  test.each(Object.entries(bundled))('has nothing against it: %s', (_, raw) => {
    expect(problemsIn(draftOf(raw), raw, 'template').filter(({ isBlocking }) => isBlocking)).toEqual([])
  })
})

describe('rows', () => {
  const base: Raw = { type: 'x', data: { a: { value: '1' } }, run: { environmentVars: { TZ: 'UTC' } } }

  test('without a name are left out, and so is what was added and left empty', () => {
    const draft = draftOf({ ...base, install: [{ type: 'mkdir', target: '' }] })
    const more = {
      ...draft,
      variables: [...draft.variables, { id: 9, name: ' ', variable: { value: 'x' } }],
      environmentVars: [...draft.environmentVars, { id: 9, name: '', value: 'x' }],
    }

    expect(rawOf(more, base)).toEqual({ ...base, install: [] })
  })

  test('stand in the order in which they were put', () => {
    const draft = draftOf({ ...base, data: { a: {}, b: {} } })
    const turned = rawOf({ ...draft, variables: draft.variables.toReversed() }, base)

    expect(Object.keys(turned.data as object)).toEqual(['b', 'a'])
    expect(changedSections(draft.raw, turned)).toEqual(['variables'])
  })

  test('with a name that is taken, or that has blanks, are told', () => {
    const rows = ['a', 'b c', 'a', '', '__proto__'].map((name, index) => ({ id: index + 1, name, variable: {} }))

    expect([...problemsOfNames(rows)]).toEqual([
      [2, 'name'],
      [3, 'duplicate'],
      [5, 'reserved'],
    ])
  })
})

describe('groups', () => {
  const groups = [{ display: 'B', order: 20, odd: 1 }, { display: 'A', order: '10' }, { display: 'Z' }]
  const names = (raw: Raw) => groupsIn(raw).map(({ display }) => display)

  test('stand as they come in the forms, and keep what they say of their place while that holds', () => {
    const raw = { type: 'x', groups }
    const [z, a, b] = groupsIn(raw)
    const renamed = withGroups(raw, [{ ...z, display: 'Y' }, a ?? {}, b ?? {}])

    expect(names(raw)).toEqual(['Z', 'A', 'B'])
    expect(renamed.groups).toEqual([{ display: 'Y' }, groups[1], groups[0]])
    expect(withGroups(raw, [])).toEqual({ type: 'x' })
  })

  test('that are moved stay where they were put', () => {
    const raw = { type: 'x', groups }
    const moved = withGroups(raw, groupsIn(raw).toReversed())

    expect(names(moved)).toEqual(['B', 'A', 'Z'])
    expect(moved.groups).toEqual([
      { display: 'B', order: 1, odd: 1 },
      { display: 'A', order: 2 },
      { display: 'Z', order: 3 },
    ])
    expect(withGroups({}, [{ display: 'B' }, { display: 'A' }]).groups).toEqual([{ display: 'B' }, { display: 'A' }])
  })
})

test('keys keep their order when a part is changed, and what is taken away is gone', () => {
  const raw: Raw = { z: 1, run: { b: 1, a: 2 }, type: 'x' }

  expect(formatRaw(withPart(raw, ['run', 'b'], 3))).toBe(formatRaw({ z: 1, run: { b: 3, a: 2 }, type: 'x' }))
  expect(withPart(raw, ['run', 'b'], undefined).run).toEqual({ a: 2 })
  expect(withPart(raw, ['new', 'part'], 1).new).toEqual({ part: 1 })
  expect([typedLike(17, '21'), typedLike('17', '21'), typedLike(17, '${v}')]).toEqual([21, '21', '${v}'])
})

describe('a variable', () => {
  test('keeps text, and takes what its type says where there was none', () => {
    expect(withValue({ type: 'integer', value: '1' }, '2').value).toBe('2')
    expect(withValue({ type: 'integer', value: 1 }, '2').value).toBe(2)
    expect(withValue({ type: 'integer', value: '' }, '2').value).toBe(2)
    expect(withValue({ type: 'string', value: '' }, '2').value).toBe('2')
    expect([switchedTo({ value: 'True' }, false).value, switchedTo({}, true).value]).toEqual(['false', true])
  })

  test('that becomes a choice has a list of choices, and none is lost when it had one', () => {
    expect(ofType({ type: 'string', value: 'a' }, 'option')).toEqual({ type: 'option', value: 'a', options: [] })
    expect(ofType({ options: [{ value: 1 }] }, 'option').options).toEqual([{ value: 1 }])
    expect(withOption({ options: [{ value: 1, more: true }] }, 0, { display: 'One' }).options).toEqual([
      { value: 1, more: true, display: 'One' },
    ])
    expect(chosen({ options: [{ value: 1 }] }, '1').value).toBe(1)
  })
})

describe('environments', () => {
  const raw: Raw = {
    type: 'x',
    environment: { type: 'standard', limits: { memory: 512 } },
    supportedEnvironments: [{ type: 'standard' }, { type: 'docker', image: 'a' }],
  }

  test('are each there once, under whichever name', () => {
    expect(freeTypes(environmentsIn(raw))).toEqual(['tty'])
    expect(freeTypes([{ type: 'host' }, { type: 'container' }])).toEqual(['standard'])
  })

  test('that change take the default along, or leave none', () => {
    const byDocker = withDefault(raw, 'docker')
    expect(byDocker.environment).toEqual({ type: 'docker', image: 'a' })

    expect(withEnvironments(byDocker, [{ type: 'docker', image: 'b' }]).environment).toEqual({
      type: 'docker',
      image: 'b',
    })
    expect(withEnvironments(byDocker, [{ type: 'tty' }])).not.toHaveProperty('environment')
  })

  test('of a server are taken as the definition offers them, with the limits that it has', () => {
    expect(retyped(raw, 'docker')).toEqual({ type: 'docker', image: 'a', limits: { memory: 512 } })
    expect(retyped(raw, 'tty')).toEqual({ type: 'tty', limits: { memory: 512 } })
    expect(withLimit({ type: 'tty', limits: { memory: 512 } as never }, 'memory', '')).toEqual({ type: 'tty' })
  })
})

test('a ready pattern that is none is a problem of its field, in the form and in the JSON', () => {
  const raw: Raw = { type: 'x', run: { readyPattern: '(a)\\1' } }
  const problem = { is: 'pattern', section: 'run', at: 'run.readyPattern', isBlocking: true }

  const problems = problemsIn(draftOf(raw), raw, 'server')

  expect(problems).toMatchObject([problem])
  expect(problemsOfWhole(raw, 'template')).toMatchObject([problem])
  expect(problems.every(hasFieldFor) && problems.every(isInJson)).toBe(true)
})

test('what the panel would refuse keeps it from being saved, what is only odd does not', () => {
  const raw: Raw = {
    type: '',
    data: { a: { type: 'integer', value: 'x' } },
    install: [{ type: 'mkdir' }, { type: 'move', source: 'a' }],
  }
  const problems = problemsIn(draftOf(raw), { type: 'x' }, 'template')

  expect(problems.map(({ at, isBlocking }) => [at, isBlocking])).toEqual([
    ['type', true],
    ['variables/1/value', false],
    ['install/1.target', false],
  ])
})
