import type { ScalarTag } from 'yaml'
import { secretPlaceholder } from './secrets.ts'

/** The text after the tag in an export. */
const unchanged = 'unchanged'

/** `!secret` or `!secret unchanged`: a value that is not in the file. */
export const secretTag: ScalarTag = {
  tag: '!secret',
  identify: (value) => value === secretPlaceholder,
  resolve: (text, onError) => {
    if (text !== '' && text !== unchanged) onError('Write a new value without !secret, which keeps the current one.')
    return secretPlaceholder
  },
  stringify: () => unchanged,
}
