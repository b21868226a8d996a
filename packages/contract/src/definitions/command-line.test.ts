import { expect, test } from 'vitest'
import { splitCommand, substitute } from './command-line.ts'

test.each([
  ['java -Xmx1G  -jar server.jar', ['java', '-Xmx1G', '-jar', 'server.jar']],
  ['./run\n--port 1\t--x', ['./run', '--port', '1', '--x']],
  ['a "b c" d', ['a', 'b c', 'd']],
  ['a \'b "c" \\d\'', ['a', 'b "c" \\d']],
  ['+map"de_dust 2"', ['+mapde_dust 2']],
  ['say \\"hi\\" a\\ b', ['say', '"hi"', 'a b']],
  ['x "" y', ['x', '', 'y']],
  ['echo $HOME && rm * > out', ['echo', '$HOME', '&&', 'rm', '*', '>', 'out']],
  ['open "quote', ['open', 'quote']],
  ['', []],
  ['   ', []],
])('%j is split without a shell', (line, parts) => {
  expect(splitCommand(line)).toEqual(parts)
})

test('variables are replaced once, unknown placeholders stay unchanged', () => {
  const values = new Map([
    ['port', '25565'],
    ['trap', '${port}'],
    ['server-name', 'My inn'],
  ])

  const text = substitute('${port} ${trap} ${server-name} ${unknown} $port ${}', values)

  expect(text).toBe('25565 ${port} My inn ${unknown} $port ${}')
})

test('a value with spaces stays one argument when the line is split first', () => {
  const values = new Map([['name', 'My "inn" && more']])

  const parts = splitCommand('srv --name ${name}').map((part) => substitute(part, values))

  expect(parts).toEqual(['srv', '--name', 'My "inn" && more'])
})
