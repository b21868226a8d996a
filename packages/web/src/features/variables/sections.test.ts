import { getGroups } from '@innkeeper/contract/definitions/definition'
import { expect, test } from 'vitest'
import { groupFields } from './sections.ts'

const fields = ['a', 'b', 'c', 'd'].map((name) => ({ name }))

function getSections(groups: readonly object[], hidden: readonly string[] = []) {
  const sections = groupFields(fields, getGroups({ groups }), ({ display }) => !hidden.includes(display ?? ''))
  return sections.map(({ group, fields }) => [group?.display, fields.map(({ name }) => name).join('')])
}

test('fields without a group come first, then the groups in their order, with their variables in order', () => {
  const groups = [
    { display: 'Later', variables: ['d'], order: 2 },
    { display: 'Sooner', variables: ['c', 'gone', 'b', 'c'], order: 1 },
    { display: 'Empty', variables: ['gone'] },
  ]

  expect(getSections(groups)).toEqual([
    [undefined, 'a'],
    ['Sooner', 'cb'],
    ['Later', 'd'],
  ])
  expect(getSections([])).toEqual([[undefined, 'abcd']])
})

test('a variable of two groups is in the first visible one, and hidden when both are hidden', () => {
  const groups = [
    { display: 'One', variables: ['a', 'b'] },
    { display: 'Two', variables: ['b', 'c'] },
  ]

  expect(getSections(groups).slice(1)).toEqual([
    ['One', 'ab'],
    ['Two', 'c'],
  ])
  expect(getSections(groups, ['One']).slice(1)).toEqual([['Two', 'bc']])
  expect(getSections(groups, ['One', 'Two'])).toEqual([[undefined, 'd']])
})
