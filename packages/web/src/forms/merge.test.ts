import { expect, test } from 'vitest'
import { changedFields, pick, rebase } from './merge.ts'

const saved = { name: 'lobby', port: '25565', flags: ['a'] }

test('a field is changed when its value differs, lists compared by their items', () => {
  expect(changedFields(saved, { ...saved, flags: ['a'] })).toEqual([])
  expect(changedFields(saved, { ...saved, name: 'hall', flags: ['a', 'b'] })).toEqual(['name', 'flags'])
})

test.each([
  ['follows the server where nothing was edited', {}, { name: 'hall' }, { name: 'hall' }, []],
  ['keeps what was edited', { name: 'mine' }, {}, { name: 'mine' }, []],
  ['keeps an edit beside another change', { name: 'mine' }, { port: '1' }, { name: 'mine', port: '1' }, []],
  ['names a field that both changed', { name: 'mine' }, { name: 'theirs' }, { name: 'mine' }, ['name']],
  ['sees no conflict where both wrote the same', { name: 'same' }, { name: 'same' }, { name: 'same' }, []],
])('rebase %s', (_, mine, theirs, expected, conflicts) => {
  const merged = rebase({ saved, draft: { ...saved, ...mine }, latest: { ...saved, ...theirs } })

  expect(merged).toEqual({ draft: { ...saved, ...expected }, conflicts })
})

test('rebase removes a deleted field and adds a new one', () => {
  const latest = { port: '25565', motd: 'hello' } as unknown as typeof saved

  expect(rebase({ saved, draft: { ...saved, name: 'mine' }, latest })).toEqual({
    draft: { port: '25565', motd: 'hello' },
    conflicts: [],
  })
})

test('pick takes the named fields only', () => {
  expect(pick(saved, ['port'])).toEqual({ port: '25565' })
})
