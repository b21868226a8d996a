import { readFileSync } from 'node:fs'
import { alertTypes } from '@innkeeper/contract/alerts'
import { defaultLanguage, isLanguage, type Language } from '@innkeeper/contract/languages'
import { z } from 'zod'

const Texts = z.strictObject({
  footer: z.string(),
  link: z.string(),
  /** Label of a link in text mails, which have no buttons. */
  labelled: z.string(),
  /** Titles of alerts; `resolved` is appended to that of an alert that has ended. */
  alerts: z.record(z.enum([...alertTypes, 'test', 'resolved']), z.string()),
  kinds: z.record(
    z.string(),
    z.strictObject({ subject: z.string(), lines: z.array(z.string()).min(1), action: z.string().optional() }),
  ),
})

/** The mail texts of one language, with `{name}` placeholders. */
export type Texts = Readonly<z.infer<typeof Texts>>

const read = new Map<Language, Texts>()

/** The texts of a language, loaded on first use; an unknown language has those of the default language. */
export function textsIn(language: string): Texts & { readonly language: Language } {
  const known = isLanguage(language) ? language : defaultLanguage
  const texts = read.get(known) ?? load(known)
  read.set(known, texts)
  return { ...texts, language: known }
}

function load(language: Language): Texts {
  return Texts.parse(JSON.parse(readFileSync(new URL(`./texts/${language}.json`, import.meta.url), 'utf8')))
}
