import { expect, test } from 'vitest'
import { Company } from './company.ts'

const [one, other] = [{}, {}]

test('a session that is served alone has no company, however often it comes', () => {
  const company = new Company()

  for (let at = 0; at < 3; at++) company.meet(one, performance.now())

  expect(company.isThere).toBe(false)
})

test('sessions that take turns have company, until one was alone for a moment', () => {
  const company = new Company()
  const later = performance.now() + 60_000

  company.meet(one, later)
  company.meet(other, later)
  const together = company.isThere
  company.meet(one, performance.now() - 1_000)

  expect(together).toBe(true)
  expect(company.isThere).toBe(false)
})

test('a session after one that has ended is alone', () => {
  const company = new Company()

  company.meet(one, performance.now())
  company.part(one)
  company.meet(other, performance.now())

  expect(company.isThere).toBe(false)
})
