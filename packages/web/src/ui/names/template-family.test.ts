import { expect, test } from 'vitest'
import { getTemplateFamily } from './template-family.ts'

test.each([
  ['minecraft-java', 'minecraft'],
  ['minecraft-bedrock', 'minecraft'],
  ['srcds', 'source'],
  ['discord', 'bots'],
  ['generic', 'misc'],
  ['agario', 'misc'],
])('templates of the type %s belong to the family %s', (type, family) => {
  expect(getTemplateFamily(type)).toBe(family)
})
