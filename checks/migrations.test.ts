import { posix } from 'node:path'
import { expect, test } from 'vitest'
import { sources } from './sources.ts'

const folder = 'packages/panel/src/database/migrations'
const migrations = sources(`${folder}/*.ts`).filter(({ path }) => !path.endsWith('.test.ts'))

/** Modules that migrations may import besides Kysely. They must not change either. */
const allowedImports = ['packages/panel/src/database/migrations/helpers/columns.ts']

test('migrations are numbered from 0001 without a gap, and named after their change', () => {
  const names = migrations.map(({ path }) => posix.basename(path, '.ts'))

  expect(names).not.toEqual([])
  names.forEach((name, at) => {
    expect(name).toMatch(new RegExp(`^${String(at + 1).padStart(4, '0')}-[a-z0-9]+(-[a-z0-9]+)*$`))
  })
})

test('every migration is in the list that is run', () => {
  const [list] = sources('packages/panel/src/database/migrations.ts')

  for (const { path } of migrations) {
    const name = posix.basename(path, '.ts')
    expect(list?.imports.map(({ from }) => from)).toContain(`./migrations/${name}.ts`)
    expect(list?.text).toContain(`'${name}':`)
  }
})

test('migrations import no application types, so that a released one never changes', () => {
  const foreign = [...migrations, ...sources(allowedImports)].flatMap((source) =>
    source.imports
      .filter(({ from }) => !/^kysely(\/|$)/.test(from))
      .filter(({ from }) => !allowedImports.includes(posix.join(posix.dirname(source.path), from)))
      .map(({ from, start }) => `${source.at(start)} imports '${from}': copy the code into the migration`),
  )

  expect(foreign).toEqual([])
})
