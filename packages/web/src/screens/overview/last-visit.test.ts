import { expect, test } from 'vitest'
import { addVisit, parseVisits } from './last-visit.ts'

const at = (time: string) => new Date(`2026-12-01T${time}:00.000Z`)

test('a page that is loaded again is the same visit, and news are those since the end of the visit before', () => {
  const first = addVisit(undefined, at('08:00'))
  const again = addVisit(first, at('08:20'))
  const evening = addVisit(again, at('20:00'))
  const later = addVisit(evening, at('20:50'))

  expect(first.previous).toBeUndefined()
  expect(again.previous).toBeUndefined()
  expect([evening.previous, later.previous]).toEqual([at('08:20').toISOString(), at('08:20').toISOString()])
})

test.each([undefined, 'text', {}, { latest: 'soon' }, { latest: 5 }])('%j is no record of visits', (value) => {
  expect(parseVisits(value)).toBeUndefined()
})
