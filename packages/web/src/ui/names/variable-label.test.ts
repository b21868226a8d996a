import { Refusal } from '@innkeeper/contract/errors/refusals'
import { expect, test } from 'vitest'
import { createI18n, type TFunction } from '../../i18n/i18n.tsx'
import { errorMessage } from '../text/error-message.ts'
import { variableLabel } from './variable-label.ts'

const i18n = await createI18n('de_DE')
const t: TFunction = (key, values = {}) => i18n.t(key, values)

test.each([
  ['Max players', 'Max. Spieler'],
  ['Wizards', 'Wizards'],
  ['Port {port} of $t(common.Save)', 'Port {port} of $t(common.Save)'],
  ['', 'slots'],
  [undefined, 'slots'],
])('the label of a variable is translated when a bundled template has it: %s', (display, label) => {
  expect(variableLabel(t, 'slots', { display })).toBe(label)
})

test('errors name a setting by its translated label', () => {
  const error = new Refusal('ErrFieldRequired', { field: 'Server name' })

  expect(errorMessage(t, error)).toBe('Servername ist erforderlich')
})
