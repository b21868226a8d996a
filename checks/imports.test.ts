import { expect, test } from 'vitest'
import { folderImports, getCycles, importViolations, reachableFrom } from './imports.ts'
import { getSource, isForTests, sources } from './sources.ts'

const allSources = sources('packages/*/src/**/*.{ts,tsx}')

test('imports follow the layers', () => {
  expect(allSources.flatMap(importViolations)).toEqual([])
})

test.each([
  [
    'packages/contract/src/servers/live.ts',
    "import { x } from '@innkeeper/panel/panel'",
    'contract may import no other package',
  ],
  ['packages/daemon/src/daemon.ts', "import type { X } from '@innkeeper/panel/panel'", 'daemon may import contract'],
  [
    'packages/web/src/app/app.tsx',
    "import { x } from '../../../panel/src/panel.ts'",
    'use the name of the other package',
  ],
  ['packages/web/src/ui/card.tsx', "import { x } from '../features/console/x.ts'", 'ui/ is below features/'],
  ['packages/web/src/features/a/x.ts', "import { x } from '../b/x.ts'", 'must not import each other'],
  [
    'packages/web/src/features/steps/x.ts',
    "import { x } from '../definition-editor/x.ts'",
    'must not import each other',
  ],
  ['packages/web/src/screens/sign-in.tsx', "export { x } from './servers.tsx'", 'must not import each other'],
  ['packages/panel/src/servers/routes.ts', "import { x } from '../http/x.ts'", 'servers/ is below http/'],
  ['packages/panel/src/access/x.ts', "import { x } from '../servers/x.ts'", 'access/ is below servers/'],
  ['packages/panel/src/servers/routes.ts', "import fastify from 'fastify'", 'only packages/panel/src/http'],
  ['packages/panel/src/servers/x.ts', "const x = await import('better-sqlite3')", 'only packages/panel/src/database'],
  ['packages/contract/src/x.ts', "import { z } from 'zod'", 'import zod/mini'],
  ['packages/web/src/ui/x.ts', "import type { z } from 'zod'", 'import zod/mini'],
  ['packages/daemon/src/console/x.ts', "import { y } from './y'", 'add the extension .ts'],
])('%s must not import %s', (path, text, message) => {
  expect(importViolations(getSource(path, text)).join('\n')).toContain(message)
})

/** What the keeper shares with the daemon. They import only Node.js. */
const sharedWithKeeper: readonly string[] = [
  'packages/contract/src/jobs/mutex.ts',
  'packages/daemon/src/errors/error-code.ts',
  'packages/daemon/src/fs/atomic-write.ts',
  'packages/daemon/src/memory/buffer-pool.ts',
]

test('the keeper imports only its own folder, proc/ and a few files, so that an upgrade cannot break it', () => {
  const entry = 'packages/daemon/src/keeper/process/main.ts'
  const mayRun = (path: string) =>
    /^packages\/daemon\/src\/(keeper|proc)\//.test(path) || sharedWithKeeper.includes(path)
  const byPath = new Map(allSources.map((source) => [source.path, source]))
  const running = reachableFrom(entry, byPath)
  const shared = sharedWithKeeper.map((path) => byPath.get(path))

  const foreign = running.flatMap((source) => [
    ...(mayRun(source.path) ? [] : [`${source.path} runs in the keeper`]),
    ...source.imports
      .filter(({ from, isType }) => from.startsWith('@innkeeper/') && !isType && !mayRun(pathOfPackage(from)))
      .map(({ from, start }) => `${source.at(start)} imports '${from}'`),
  ])
  const further = shared.flatMap((source) =>
    (source?.imports ?? [])
      .filter(({ from, isType }) => !from.startsWith('node:') && !isType)
      .map(({ from, start }) => `${source?.at(start)} imports '${from}'`),
  )

  expect(running, `${entry} is the entry point of the keeper; update this test when it moves`).not.toEqual([])
  expect(shared, 'a file that the keeper shares has moved').not.toContain(undefined)
  expect(foreign).toEqual([])
  expect(further).toEqual([])
})

/** The file that the name of a package's module stands for. */
const pathOfPackage = (from: string): string => from.replace(/^@innkeeper\/([^/]+)\/(.*)$/, 'packages/$1/src/$2.ts')

// oxlint finds the cycles of files.
test.each(['contract', 'daemon', 'panel', 'web', 'cli'])(
  'the folders of %s do not import each other in a circle, not even for types',
  (name) => {
    const own = allSources.filter(({ path }) => path.startsWith(`packages/${name}/src/`) && !isForTests(path))

    expect(getCycles(folderImports(own)), 'move what both folders need into a third one').toEqual([])
  },
)

test('the check finds a cycle', () => {
  const folders = folderImports([
    getSource('packages/daemon/src/a/x.ts', "import type { y } from '../b/y.ts'"),
    getSource('packages/daemon/src/b/y.ts', "import { z } from './c/z.ts'"),
    getSource('packages/daemon/src/b/c/z.ts', "import { x } from '../../a/x.ts'"),
    getSource('packages/daemon/src/d/u.ts', "import { x } from '../a/x.ts'"),
  ])

  expect(getCycles(folders)).toEqual([['packages/daemon/src/a', 'packages/daemon/src/b', 'packages/daemon/src/b/c']])
})

test('programs do not load code that only tests use', () => {
  const loaded = allSources
    .filter(({ path }) => !isForTests(path))
    .flatMap((source) =>
      source.imports
        .filter(({ from }) => /(^|\/)testing\/|\.test\.ts|^vitest$/.test(from))
        .map(({ from, start }) => `${source.at(start)} imports '${from}', which is only for tests`),
    )

  expect(loaded).toEqual([])
})
