import { expect, test } from 'vitest'
import { createFormatters } from './formatters.ts'
import { createI18n, type TFunction } from './i18n.tsx'

const t = await loadTexts('en_US')
const formatters = createFormatters('en-US', t)
const { compareNames, duration, fileSize, longDuration, percent, relative, relativeWithTime } = formatters

test.each([
  [0, '0 B'],
  [1023, '1,023 B'],
  [1024, '1 KiB'],
  [1536, '2 KiB'],
  [412 * 1024 ** 2, '412 MiB'],
  [4.125 * 1024 ** 3, '4.13 GiB'],
  [2 * 1024 ** 4, '2.00 TiB'],
])('%i bytes are shown as %s', (bytes, text) => {
  expect(fileSize(bytes)).toBe(text)
})

test.each([
  ['en_US', '4.00 GiB', '3 MiB/s', '1.50 MB', 'MiB/s'],
  ['fr_FR', '4,00 Gio', '3 Mio/s', '1,50 Mo', 'Mio/s'],
  ['ru_RU', '4,00 ГиБ', '3 МиБ/с', '1,50 МБ', 'МиБ/с'],
  ['ko_KR', '4.00GiB', '3MiB/s', '1.50MB', 'MiB/s'],
])('sizes and rates have the units of the language %s', async (locale, size, rate, value, name) => {
  const language = createFormatters(locale.replace('_', '-'), await loadTexts(locale))

  expect([
    language.fileSize(4 * 1024 ** 3),
    language.rate(3 * 1024 ** 2),
    language.inUnit(1.5, 'MB', { decimals: 2 }),
    language.unitName('MiB', { isRate: true }),
  ]).toEqual([size, rate, value, name])
})

test('a long duration is in its largest unit', () => {
  const minute = 60_000
  const durations = [-1, 45_900, minute, 59.9 * minute, 180 * minute, 1_440 * minute, 17_280 * minute]

  expect(durations.map(longDuration)).toEqual(['0 sec', '45 sec', '1 min', '59 min', '3 hr', '1 day', '12 days'])
})

test('a duration has minutes and seconds', () => {
  expect([0, 9_600, 90_000].map(duration)).toEqual(['0:00', '0:10', '1:30'])
})

test('names are sorted with digits by their value, and without regard to case', () => {
  expect(['b', 'region-10', 'A', 'region-2'].sort(compareNames)).toEqual(['A', 'b', 'region-2', 'region-10'])
})

test('a file size can be shown with decimals', () => {
  expect([fileSize(700, { decimals: 2 }), fileSize(14_356, { decimals: 2 })]).toEqual(['700 B', '14.02 KiB'])
})

test('percentages follow the language', () => {
  expect([percent(34), percent(3.456, 2), createFormatters('de', t).percent(34)]).toEqual(['34%', '3.46%', '34\u00a0%'])
})

test.each([
  [0, '0s ago'],
  [-4_000, '4s ago'],
  [-2 * 3_600_000, '2h ago'],
  [90_000, 'in 2m'],
])('a time %i ms away is shown as %s', (distance, text) => {
  const now = Date.UTC(2026, 10, 23)

  expect(relative(now + distance, now)).toBe(text)
})

test.each([
  [-59 * 60_000, /^59m ago$/],
  [-2 * 3_600_000, /^2h ago, \d{1,2}:00\s[AP]M$/],
  [-26 * 3_600_000, /^Nov \d{1,2}, 2026, \d{1,2}:00:00\s[AP]M$/],
])('a time %i ms away is shown with its time of day as %s', (distance, text) => {
  const now = Date.UTC(2026, 10, 23)

  expect(relativeWithTime(now + distance, now)).toMatch(text)
})

test.each(['ru-RU', 'fr-FR', 'sv-SE', 'nb-NO', 'ro-RO'])('the past is in words in %s, not a negative number', (tag) => {
  const ages = [-4_000, -12 * 60_000, -3 * 3_600_000].map((age) => createFormatters(tag, t).relative(age, 0))

  for (const age of ages) expect(age).not.toMatch(/^[-\u2212]/)
})

test('a time since which something lasts has its day when that is not today', () => {
  const now = new Date(2026, 10, 22, 0, 5).getTime()

  expect(formatters.timeSince(new Date(2026, 10, 22, 0, 1, 2).getTime(), now)).toMatch(/^12:01:02/)
  expect(formatters.timeSince(new Date(2026, 10, 21, 23, 59, 2).getTime(), now)).toMatch(/^Nov 21, 11:59:02/)
})

async function loadTexts(locale: string): Promise<TFunction> {
  const i18n = await createI18n(locale)
  return (key, values = {}) => i18n.t(key, values)
}
