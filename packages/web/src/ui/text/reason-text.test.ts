import { expect, test } from 'vitest'
import { createI18n } from '../../i18n/i18n.tsx'
import { translateReason } from './reason-text.ts'

test.each([
  ['the disk is full', 'Die Festplatte ist voll'],
  [
    'the disk is full; offsite: the target does not respond. Check its address, and whether it runs',
    'Die Festplatte ist voll; offsite: Das Ziel antwortet nicht. Prüfen Sie die Adresse und ob es läuft',
  ],
  [
    's3: the target reports an error: 503: slow; down. Check its log, and whether its disk is full',
    's3: Das Ziel meldet einen Fehler: 503: slow; down. Prüfen Sie sein Protokoll und ob seine Festplatte voll ist',
  ],
  [
    'NAS: the backup "old" (2026-01-01 10:00 UTC) could not be copied: the disk is full',
    'NAS: Das Backup "old" (2026-01-01 10:00 UTC) konnte nicht kopiert werden: Die Festplatte ist voll',
  ],
  ['s3: something else; the disk is full', 's3: something else; Die Festplatte ist voll'],
])('the reason of a node is shown in the language of the user: %s', async (reason, text) => {
  const i18n = await createI18n('de_DE')

  expect(translateReason((key, values = {}) => i18n.t(key, values), reason)).toBe(text)
})
