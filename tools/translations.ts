import { parseArgs } from 'node:util'
import {
  englishHashes,
  readRecord,
  recordFile,
  type StaleText,
  staleTexts,
  withNewTexts,
  withTranslated,
  writeRecord,
} from './translation-record.ts'

/**
 * `npm run translations`: lists the texts whose English changed after they were translated, and records new texts.
 * `-- --done [key…]` records that the translations are of the present English: of all texts, or of those whose key is, or
 * begins with, one that is named. `--language` limits it to a language.
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
const left = staleTexts(english, record)
for (const text of left) console.log(lineOf(text))
console.log(
  left.length === 0
    ? 'All translations are of the present English texts.'
    : `${left.length} texts changed in English after they were translated. Mend them, and record it: npm run translations -- --done <key>…`,
)
if (keys.length > 0) console.log(`Recorded ${keys.length} texts in ${recordFile}.`)

function lineOf({ key, languages }: StaleText): string {
  return `${key} (${languages.length > 5 ? `${languages.length} languages` : languages.join(', ')})`
}
