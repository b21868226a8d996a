import { expect, test } from 'vitest'
import { matchSequence, normalizeKey } from './sequences.ts'

const known = ['g s', 'g a', 'r r', '?', 'j']

test('two keys in a row complete a sequence', () => {
  expect(matchSequence([], 'g', known)).toEqual({ status: 'waiting', pressed: ['g'] })
  expect(matchSequence(['g'], 's', known)).toEqual({ status: 'complete', keys: 'g s' })
})

test('a key that continues no sequence may start another one', () => {
  expect(matchSequence(['g'], 'x', known)).toEqual({ status: 'nothing' })
  expect(matchSequence(['g'], 'r', known)).toEqual({ status: 'waiting', pressed: ['r'] })
  expect(matchSequence(['g'], 'j', known)).toEqual({ status: 'complete', keys: 'j' })
})

test('keys that also begin a longer sequence are complete at once, or wait for the next key when they are waiting sequences', () => {
  const files = [...known, 'r']

  expect(matchSequence([], 'r', files)).toEqual({ status: 'complete', keys: 'r' })
  expect(matchSequence([], 'r', files, ['r'])).toEqual({ status: 'waiting', pressed: ['r'] })
  expect(matchSequence(['r'], 'r', files, ['r'])).toEqual({ status: 'complete', keys: 'r r' })
  expect(matchSequence([], 'j', files, ['j'])).toEqual({ status: 'complete', keys: 'j' })
})

test('a key is its character, or its position on layouts without Latin letters', () => {
  expect(normalizeKey({ key: 'S', code: 'KeyS' })).toBe('s')
  expect(normalizeKey({ key: 'a', code: 'KeyQ' })).toBe('a')
  expect(normalizeKey({ key: 'ы', code: 'KeyS' })).toBe('s')
  expect(normalizeKey({ key: 'Escape', code: 'Escape' })).toBe('Escape')
})
