import { languages } from '@innkeeper/contract/text/languages'
import { expect, test } from 'vitest'
import { flagUrl } from './flags.ts'

test.each(languages)('%s has a flag', (locale) => {
  expect(flagUrl(locale)).toMatch(/^data:image\/svg\+xml,%3Csvg/)
})
