import { expect, test } from 'vitest'
import { getLanguage } from './languages.ts'

test.each([
  ['config.yml', 'YAML'],
  ['server.properties', 'Properties files'],
  ['settings.cfg', 'Properties files'],
  ['.env', 'Properties files'],
  ['pack.mcmeta', 'JSON'],
  ['package.json', 'JSON'],
  ['init.lua', 'Lua'],
  ['start.sh', 'Shell'],
  ['Dockerfile', 'Dockerfile'],
  ['velocity.toml', 'TOML'],
  ['latest.log', undefined],
  ['eula.txt', undefined],
])('%s is shown as %s', (name, language) => {
  expect(getLanguage(name)?.name).toBe(language)
})

test('a language is loaded on demand', async () => {
  const support = await getLanguage('config.yml')?.load()

  expect(support?.language.name).toBe('yaml')
})
