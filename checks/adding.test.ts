import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { files, root } from './sources.ts'

/** What fails when a place of docs/adding.md is forgotten: text of a file, a title of a test or the type of a record. */
interface Guard {
  readonly file: string
  readonly text: string
}

test('what docs/adding.md names as the proof of a place exists', () => {
  const [page] = files('docs/adding.md')
  const guards = guardsIn(page?.text ?? '')

  expect(guards.length).toBeGreaterThan(20)
  expect(guards.flatMap(getProblem)).toEqual([])
})

test('the check finds a missing record, test and file', () => {
  const rows = [
    '| `checks/adding.test.ts` | a row | `Record<Gone, string' + '>` |',
    '| a place | a row | “a test that is ' + 'gone” in `checks/adding.test.ts` |',
    '| a place | a row | “a test” in `checks/gone.test.ts` |',
    '| a place | a row | “a test” |',
  ]

  expect(guardsIn(rows.join('\n')).flatMap(getProblem)).toHaveLength(4)
})

function guardsIn(page: string): Guard[] {
  const rows = page.split('\n').filter((line) => line.startsWith('| ') && !line.startsWith('| place '))
  return rows.flatMap((row) => {
    const cells = row.split(/(?<!\\)\|/).map((cell) => cell.trim().replaceAll('\\|', '|'))
    const [, place = '', , proof = ''] = cells
    // The first place of a list, which the following ones are compared with.
    if (proof === '') return []
    const { title, code, double, file } =
      /^(?:“(?<title>[^”]+)”|``(?<double>.+)``|`(?<code>[^`]+)`)(?: in `(?<file>[^`]+)`)?$/.exec(proof)?.groups ?? {}
    return [{ file: file ?? place.replaceAll('`', ''), text: title ?? code ?? double ?? '' }]
  })
}

function getProblem({ file, text }: Guard): string[] {
  if (text === '') return [`${file}: the proof must be a title or code, with the name of its file`]
  if (!existsSync(join(root, file))) return [`${text}: the file '${file}' does not exist`]
  return files(file)[0]?.text.includes(text) ? [] : [`${file} does not contain '${text}'`]
}
