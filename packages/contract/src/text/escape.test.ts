import { expect, test } from 'vitest'
import { type EscapeFormat, escapeValue, validateWritable } from './escape.ts'

test.each<[EscapeFormat, string, string]>([
  ['quoted', "it's ; // $HOME ${x}", "it's ; // $HOME ${x}"],
  ['ini', 'a = "b" # c\\d', 'a = "b" # c\\d'],
  ['properties', 'C:\\games', 'C:\\\\games'],
  ['properties', '\\u00a7cRed\\nsecond', '\\u00a7cRed\\nsecond'],
  ['properties', ' blank\nrcon.password=x\\', '\\ blank\\u000arcon.password=x\\\\'],
  ['json', 'a "b" \\ \n \x7f', 'a \\"b\\" \\\\ \\n \\u007f'],
  ['xml', `"/><a b='&'>\n`, '&#34;/&#62;&#60;a b=&#39;&#38;&#39;&#62;&#10;'],
])('%s: %j is written as %j', (format, value, written) => {
  expect(escapeValue(format, value, 'name')).toBe(written)
})

test.each<[EscapeFormat, string, string, object]>([
  ['quoted', 'hi"\nrcon_password "pwned', 'ErrFieldNotOneLine', { field: 'Name' }],
  ['quoted', 'hi" ; quit "', 'ErrFieldCharacters', { field: 'Name', characters: '"' }],
  ['quoted', 'ends with \\', 'ErrFieldCharacters', { field: 'Name', characters: '\\' }],
  ['quoted', '\x01"\x01', 'ErrFieldCharacters', { field: 'Name', characters: 'U+0001 "' }],
  ['ini', 'a\rb', 'ErrFieldNotOneLine', { field: 'Name' }],
  ['ini', 'a\u2028b', 'ErrFieldNotOneLine', { field: 'Name' }],
  ['ini', 'joins the next line\\', 'ErrFieldCharacters', { field: 'Name', characters: '\\' }],
  ['xml', 'a\0b', 'ErrFieldCharacters', { field: 'Name', characters: 'U+0000' }],
])('%s: %j cannot be represented', (format, value, code, metadata) => {
  expect(validateWritable(format, value, 'Name')).toMatchObject({ code, metadata })
  expect(() => escapeValue(format, value, 'Name')).toThrow('Name')
})
