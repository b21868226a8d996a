import { expect, test } from 'vitest'
import { getSource, type Source, sources } from './sources.ts'

/** Components that two files export under the same name. */
function repeatedNames(code: readonly Source[]): string[] {
  const places = new Map<string, string[]>()
  for (const source of code) {
    source.visit({
      ExportNamedDeclaration({ declaration, start }) {
        for (const name of getNames(declaration)) {
          if (/^[A-Z][a-z]/.test(name)) places.set(name, [...(places.get(name) ?? []), source.at(start)])
        }
      },
    })
  }
  return [...places].filter(([, at]) => at.length > 1).map(([name, at]) => `${name}: ${at.join(', ')}`)
}

type Declaration = Parameters<NonNullable<Parameters<Source['visit']>[0]['ExportNamedDeclaration']>>[0]['declaration']

function getNames(declaration: Declaration): readonly string[] {
  if (declaration?.type === 'FunctionDeclaration') return declaration.id ? [declaration.id.name] : []
  if (declaration?.type !== 'VariableDeclaration') return []
  return declaration.declarations.flatMap(({ id }) => (id.type === 'Identifier' ? [id.name] : []))
}

test('each component has a name of its own', () => {
  expect(repeatedNames(sources('packages/web/src/**/*.tsx'))).toEqual([])
})

test('the check finds two components with the same name', () => {
  const one = getSource('files/toolbar.tsx', 'export function Toolbar() {}\nexport const Row = memo(function Row() {})')
  const other = getSource('console/toolbar.tsx', 'function Row() {}\n\nexport function Toolbar() {}')

  expect(repeatedNames([one, other])).toEqual(['Toolbar: files/toolbar.tsx:1, console/toolbar.tsx:3'])
})
