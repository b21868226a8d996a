import { expect, test } from 'vitest'
import { Definition } from './definition.ts'
import { problemsOfDefinition } from './definition-problems.ts'
import { findSleep, findSleepObstacle } from './sleep.ts'

const define = (query: object | undefined, sleepAfterMinutes?: unknown) =>
  Definition.parse({ type: 'test', data: { port: { value: 27015 } }, query, run: { command: 'x', sleepAfterMinutes } })

test('a server sleeps only with the setting', () => {
  expect(findSleep(define({ type: 'quake3' }))).toBeUndefined()
  expect(findSleep(define({ type: 'quake3' }, 0))).toBeUndefined()
  expect(findSleep(define({ type: 'quake3' }, '10'))).toMatchObject({ afterMinutes: 10, query: { port: 27015 } })
})

test.for([
  [undefined, 'noQuery'],
  [{ type: 'mumble' }, 'unknownJoins'],
  [{ type: 'gamedig', game: 'ut2004' }, 'unknownJoins'],
  // Another game than one with the Source engine.
  [{ type: 'source', port: '${port}+1' }, 'unknownJoins'],
  [{ type: 'source' }, undefined],
  [{ type: 'minecraft', port: 25565 }, undefined],
] as const)('with the query %j a server can sleep, or not: %s', ([query, reason]) => {
  const definition = define(query, 10)

  expect(findSleepObstacle(definition)).toBe(reason)
  expect(findSleep(definition) === undefined).toBe(reason !== undefined)
  expect(problemsOfDefinition(definition).map(({ metadata }) => metadata.field)).toEqual(
    reason === undefined ? [] : ['run.sleepAfterMinutes'],
  )
})

test('a time that is too long is refused', () => {
  expect(problemsOfDefinition(define({ type: 'quake3' }, 20_000)).map(({ code }) => code)).toEqual([
    'ErrFieldNotBetween',
  ])
})
