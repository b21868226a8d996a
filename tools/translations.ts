import { parseArgs } from 'node:util'
import {
  englishHashes,
  readRecord,
  recordFile,
  staleTexts,
  type TextInLanguages,
  translationReport,
  withNewTexts,
  withTranslated,
  writeRecord,
} from './translation-record.ts'

/**
 * `npm run translations`: lists missing translations, those whose English changed after they were translated, and those of
 * texts that are gone; records new texts. `-- --done [key…]` records that the translations are of the present English: of all
 * texts, or of those whose key is, or begins with, one that is named. `--language` limits it to a language.
 */
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { done: { type: 'boolean', default: false }, language: { type: 'string', multiple: true } },
})
const english = englishHashes()
const before = withNewTexts(english, readRecord())
const isNamed = (key: string) => positionals.length === 0 || positionals.some((name) => key.startsWith(name))
const stale = staleTexts(english, before)
const keys = values.done ? stale.map(({ key }) => key).filter(isNamed) : []
const record = withTranslated(english, before, { keys, ...(values.language && { languages: values.language }) })
writeRecord(record)
if (keys.length > 0) console.log(`Recorded ${keys.length} texts in ${recordFile}.`)

const report = translationReport(record)
print('are missing in a language, which shows them in English. A release fails', report.missing)
print(
  'changed in English after they were translated. Mend them, and record it: npm run translations -- --done <key>…',
  report.stale,
)
print('are translated, but English no longer has them. Remove them', report.unused)
if (Object.values(report).every((texts) => texts.length === 0))
  console.log('All texts are translated from the present English.')

function print(what: string, texts: readonly TextInLanguages[]): void {
  if (texts.length === 0) return
  console.log(`${texts.length} texts ${what}:`)
  for (const { key, languages } of texts)
    console.log(`  ${key} (${languages.length > 5 ? `${languages.length} languages` : languages.join(', ')})`)
}
