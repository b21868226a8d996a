import { afterEach, expect, test, vi } from 'vitest'
import { createI18n, findText } from './i18n.tsx'

afterEach(() => void vi.restoreAllMocks())

const english = { 'common.Save': 'Save', 'servers.Stop': 'Stop' }
const answering = (german: () => Promise<Record<string, string>>) => (locale: string) =>
  locale === 'de_DE' ? german() : Promise.resolve(english)

test('a text missing in a language is shown in English, never as its key', async () => {
  const i18n = await createI18n('de_DE', { load: answering(async () => ({ 'common.Save': 'Speichern' })) })

  expect(i18n.language).toBe('de_DE')
  expect([i18n.t('common.Save'), i18n.t('servers.Stop')]).toEqual(['Speichern', 'Stop'])
})

test.for([
  ['cannot be loaded', () => Promise.reject(new TypeError('Failed to fetch dynamically imported module'))],
  ['never comes', () => new Promise<never>(() => undefined)],
] as const)('a language that %s falls back to English', async ([, german]) => {
  const logged = vi.spyOn(console, 'error').mockReturnValue()

  const i18n = await createI18n('de_DE', { load: answering(german), timeoutMs: 1 })

  expect(i18n.language).toBe('en_US')
  expect(i18n.t('common.Save')).toBe('Save')
  expect(logged).toHaveBeenCalledOnce()
})

test('a language is shown without the English texts when only those cannot be loaded', async () => {
  vi.spyOn(console, 'error').mockReturnValue()
  const load = async (locale: string) => {
    if (locale === 'de_DE') return { 'common.Save': 'Speichern' }
    throw new TypeError('Failed to fetch dynamically imported module')
  }

  expect((await createI18n('de_DE', { load })).t('common.Save')).toBe('Speichern')
})

test.for([
  ['en_US', '12,345 files of 0.50'],
  ['de_DE', '12.345 files of 0,50'],
] as const)('numbers in a text are formatted as in %s, other values are not', async ([language, text]) => {
  const files = { 'files.Count_one': '{count} file of {share}', 'files.Count_other': '{count} files of {share}' }
  const i18n = await createI18n(language, { load: async () => ({ ...files, 'nodes.Port': 'Port {port}' }) })

  expect(i18n.t('files.Count', { count: 12_345, share: 0.5 })).toBe(text)
  expect(i18n.t('nodes.Port', { port: '25565' })).toBe('Port 25565')
})

test.for([
  ['ar_SA', '\u2068Bob (old)\u2069: ٢, '],
  ['he_IL', '\u2068Bob (old)\u2069: 2, '],
  ['en_US', 'Bob (old): 2, '],
  ['de_DE', 'Bob (old): 2, '],
] as const)('names in a text are isolated in right-to-left languages only: %s', async ([language, text]) => {
  const i18n = await createI18n(language, { load: async () => ({ 'files.Of': '{name}: {number}, {nothing}' }) })

  expect(i18n.t('files.Of', { name: 'Bob (old)', number: 2, nothing: '' })).toBe(text)
})

test('a key that is not in the catalog has no text', async () => {
  const i18n = await createI18n('en_US', { load: async () => english })
  const t = (key: string) => i18n.t(key)

  expect([findText(t, 'servers.Stop'), findText(t, 'servers.Land')]).toEqual(['Stop', undefined])
})

test('no texts at all are an error', async () => {
  vi.spyOn(console, 'error').mockReturnValue()

  await expect(createI18n('en_US', { load: () => Promise.reject(new Error('gone')) })).rejects.toThrow('no catalog')
})
