import { expect, test } from 'vitest'
import { endOfQuietHours } from './quiet-hours.ts'

const at = (time: string) => Date.parse(`2026-06-10T${time}Z`)

test.for([
  ['12:00:30', '09:00', '17:00', 'UTC', '17:00:00'],
  ['17:00:00', '09:00', '17:00', 'UTC', '17:00:00'],
  ['08:59:59', '09:00', '17:00', 'UTC', '08:59:59'],
  ['01:30:00', '22:00', '07:00', 'UTC', '07:00:00'],
  ['21:59:00', '22:00', '07:00', 'UTC', '21:59:00'],
  // Berlin is two hours ahead.
  ['05:15:00', '22:00', '08:00', 'Europe/Berlin', '06:00:00'],
  ['12:00:00', '12:00', '12:00', 'UTC', '12:00:00'],
] as const)('an alert at %s with quiet hours from %s to %s in %s is sent at %s', ([time, from, to, timezone, due]) => {
  expect(endOfQuietHours(at(time), { from, to, timezone })).toBe(at(due))
})

test('quiet hours that include midnight end on the next day', () => {
  expect(endOfQuietHours(at('23:00:00'), { from: '22:00', to: '07:00', timezone: 'UTC' })).toBe(
    Date.parse('2026-06-11T07:00:00Z'),
  )
})

test('without quiet hours an alert is sent at once', () => {
  expect(endOfQuietHours(at('03:00:00'), null)).toBe(at('03:00:00'))
})
