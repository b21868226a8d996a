import { readFileSync } from 'node:fs'
import { alertTypes } from '@innkeeper/contract/alerts/alerts'
import { defaultLanguage, isLanguage, type Language } from '@innkeeper/contract/text/languages'
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

/** The texts of a language, loaded on first use, with English ones where it has none. An unknown language has English. */
export function textsIn(language: string): Texts & { readonly language: Language } {
  const known = isLanguage(language) ? language : defaultLanguage
  const texts = read.get(known) ?? load(known)
  read.set(known, texts)
  return { ...texts, language: known }
}

function load(language: Language): Texts {
  const english = readJson(new URL('./en_US.json', import.meta.url))
  if (language === defaultLanguage) return Texts.parse(english)
  return Texts.parse(withFallback(english, readJson(new URL(`../../translations/${language}.json`, import.meta.url))))
}

/** All texts that English has: translated ones, else the English ones. */
export function withFallback(english: unknown, translation: unknown): unknown {
  if (typeof english === 'string') return typeof translation === 'string' ? translation : english
  const translated: Readonly<Record<string, unknown>> = Object(translation)
  const texts = Object.entries(Object(english)).map(
    ([key, text]) => [key, withFallback(text, translated[key])] as const,
  )
  return Array.isArray(english) ? texts.map(([, text]) => text) : Object.fromEntries(texts)
}

function readJson(file: URL): unknown {
  return JSON.parse(readFileSync(file, 'utf8'))
}
