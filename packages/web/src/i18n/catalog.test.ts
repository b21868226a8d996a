import { refusals } from '@innkeeper/contract/refusals'
import { serverStates } from '@innkeeper/contract/status'
import { expect, test } from 'vitest'
import { defaultLocale, languageName, loadCatalog, preferredLocale, pseudoLocale } from './locale.ts'

const sources = import.meta.glob<string>(['../**/*.{ts,tsx}', '!../**/*.test.*', '!../**/testing/**'], {
  query: '?raw',
  import: 'default',
  eager: true,
})

test('every text that the code names is in the catalog', async () => {
  const catalog = await loadCatalog(defaultLocale)
  const has = (key: string) => key in catalog || `${key}_other` in catalog
  const files = new Set(Object.keys(catalog).map((key) => key.split('.')[0]))

  const missing = Object.entries(sources).flatMap(([path, source]) =>
    // States are in small letters, and so are scopes, actions and names of files, which are no keys.
    [...source.matchAll(/'([a-z][a-z-]*)\.([A-Z]\w*)'/g)]
      .filter(([, file = '']) => files.has(file))
      .map(([, file, key]) => `${file}.${key}`)
      .filter((key) => !has(key))
      .map((key) => `${key} in ${path}`),
  )

  expect(missing).toEqual([])
})

test('every refusal and every state has its words', async () => {
  const catalog = await loadCatalog(defaultLocale)

  expect(Object.keys(refusals).filter((code) => !(`errors.${code}` in catalog))).toEqual([])
  expect(serverStates.filter((state) => !(`status.${state}` in catalog))).toEqual([])
})

test('the stored locale wins over the languages of the browser, and English is left', () => {
  const offered = ['de_DE', 'en_US', 'zh_CN', 'zh_TW']

  expect(preferredLocale('zh_TW', ['de'], offered)).toBe('zh_TW')
  expect(preferredLocale(null, ['de-AT', 'en'], offered)).toBe('de_DE')
  expect(preferredLocale(null, ['zh-TW'], offered)).toBe('zh_TW')
  expect(preferredLocale('xx_XX', ['fi'], offered)).toBe('en_US')
  expect(preferredLocale(pseudoLocale, ['de'], offered)).toBe(pseudoLocale)
})

test('languages are listed by their own names, with the region or script where several have the same', () => {
  expect(['de_DE', 'zh_CN', 'zh_TW', 'zh_HK', 'es_419', 'es_ES', 'pt_BR', 'pt_PT', 'sr_SP'].map(languageName)).toEqual([
    'Deutsch',
    '简体中文',
    '繁體中文',
    '中文（香港）',
    'Español latinoamericano',
    'Español de España',
    'Português (Brasil)',
    'Português europeu',
    'Српски',
  ])
})
