import { expect, test } from 'vitest'
import { pseudolocalize } from './pseudo-locale.ts'

test('a pseudo-localized text has accents, is longer, and keeps placeholders and tags', () => {
  const { greeting, save, long } = pseudolocalize({
    greeting: 'Use <key/> to open {count}',
    save: 'Save',
    long: 'x'.repeat(40),
  })

  expect(save).toBe('[Sâvé~~]')
  expect(greeting).toMatch(/^\[Ûsé <key\/> tô ôpéñ \{count\}~+\]$/)
  expect(long).toBe(`[${'x'.repeat(40)}~~~~~~~~~~~~ ~~~~]`)
})
