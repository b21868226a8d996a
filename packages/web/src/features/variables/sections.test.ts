import { groupsOf } from '@innkeeper/contract/definition'
import { expect, test } from 'vitest'
import { sectionsOf } from './sections.ts'

const fields = ['a', 'b', 'c', 'd'].map((name) => ({ name }))

function shown(groups: readonly object[], folded: readonly string[] = []) {
  const sections = sectionsOf(fields, groupsOf({ groups }), ({ display }) => !folded.includes(display ?? ''))
  return sections.map(({ group, fields }) => [group?.display, fields.map(({ name }) => name).join('')])
}

test('what no group names comes first, then the groups in their order, each as it lists its variables', () => {
  const groups = [
    { display: 'Later', variables: ['d'], order: 2 },
    { display: 'Sooner', variables: ['c', 'gone', 'b', 'c'], order: 1 },
    { display: 'Empty', variables: ['gone'] },
  ]

  expect(shown(groups)).toEqual([
    [undefined, 'a'],
    ['Sooner', 'cb'],
    ['Later', 'd'],
  ])
  expect(shown([])).toEqual([[undefined, 'abcd']])
})

test('a variable of two groups stands in the first that is there, and what is folded away is nowhere', () => {
  const groups = [
    { display: 'One', variables: ['a', 'b'] },
    { display: 'Two', variables: ['b', 'c'] },
  ]

  expect(shown(groups).slice(1)).toEqual([
    ['One', 'ab'],
    ['Two', 'c'],
  ])
  expect(shown(groups, ['One']).slice(1)).toEqual([['Two', 'bc']])
  expect(shown(groups, ['One', 'Two'])).toEqual([[undefined, 'd']])
})
