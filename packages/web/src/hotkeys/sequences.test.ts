import { expect, test } from 'vitest'
import { advance, keyOf } from './sequences.ts'

const known = ['g s', 'g a', 'r r', '?', 'j']

test('two keys in a row complete a sequence', () => {
  expect(advance([], 'g', known)).toEqual({ is: 'waiting', pressed: ['g'] })
  expect(advance(['g'], 's', known)).toEqual({ is: 'complete', keys: 'g s' })
})

test('a key that leads nowhere starts over with itself', () => {
  expect(advance(['g'], 'x', known)).toEqual({ is: 'nothing' })
  expect(advance(['g'], 'r', known)).toEqual({ is: 'waiting', pressed: ['r'] })
  expect(advance(['g'], 'j', known)).toEqual({ is: 'complete', keys: 'j' })
})

test('keys that also begin a longer sequence are complete at once, or wait for the next key when they are patient', () => {
  const files = [...known, 'r']

  expect(advance([], 'r', files)).toEqual({ is: 'complete', keys: 'r' })
  expect(advance([], 'r', files, ['r'])).toEqual({ is: 'waiting', pressed: ['r'] })
  expect(advance(['r'], 'r', files, ['r'])).toEqual({ is: 'complete', keys: 'r r' })
  expect(advance([], 'j', files, ['j'])).toEqual({ is: 'complete', keys: 'j' })
})

test('letters are what was typed, or the key itself on layouts without Latin letters', () => {
  expect(keyOf({ key: 'S', code: 'KeyS' })).toBe('s')
  expect(keyOf({ key: 'a', code: 'KeyQ' })).toBe('a')
  expect(keyOf({ key: 'ы', code: 'KeyS' })).toBe('s')
  expect(keyOf({ key: 'Escape', code: 'Escape' })).toBe('Escape')
})
