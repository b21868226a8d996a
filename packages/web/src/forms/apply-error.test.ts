import { Refusal } from '@innkeeper/contract/errors/refusals'
import { expect, test } from 'vitest'
import { createI18n, type TFunction } from '../i18n/i18n.tsx'
import { applyError } from './apply-error.ts'

test('an error about two fields names both by their labels, at the first one', async () => {
  const i18n = await createI18n('en_US')
  const t: TFunction = (key, values) => i18n.t(key, { ...values })
  const labels = { sftpPort: 'SFTP port', publicPort: 'Public port' }
  const error = new Refusal('ErrFieldEqual', { field1: 'sftpPort', field2: 'publicPort' })

  const applied = applyError(error, {
    t,
    fields: ['publicPort', 'sftpPort'] as const,
    getLabel: (field) => labels[field],
  })

  expect(applied).toEqual({ type: 'field', field: 'sftpPort', message: 'SFTP port cannot be equal to Public port' })
})
