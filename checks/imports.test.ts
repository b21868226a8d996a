import { expect, test } from 'vitest'
import { brokenImports, reachedFrom } from './imports.ts'
import { isForTests, sourceOf, sources } from './sources.ts'

const ours = sources('packages/*/src/**/*.{ts,tsx}')

test('imports go down and stay in their place', () => {
  expect(ours.flatMap(brokenImports)).toEqual([])
})

test.each([
  ['packages/contract/src/live.ts', "import { x } from '@innkeeper/panel/panel'", 'contract may use no other package'],
  ['packages/daemon/src/daemon.ts', "import type { X } from '@innkeeper/panel/panel'", 'daemon may use contract'],
  [
    'packages/web/src/app/app.tsx',
    "import { x } from '../../../panel/src/panel.ts'",
    'by the name of the other package',
  ],
  ['packages/web/src/ui/card.tsx', "import { x } from '../features/console/x.ts'", 'ui/ is below features/'],
  ['packages/web/src/features/a/x.ts', "import { x } from '../b/x.ts'", 'do not know each other'],
  ['packages/web/src/features/steps/x.ts', "import { x } from '../definition-editor/x.ts'", 'do not know each other'],
  ['packages/web/src/screens/login.tsx', "export { x } from './servers.tsx'", 'do not know each other'],
  ['packages/panel/src/servers/routes.ts', "import { x } from '../http/x.ts'", 'servers/ is below http/'],
  ['packages/panel/src/access/x.ts', "import { x } from '../servers/x.ts'", 'access/ is below servers/'],
  ['packages/panel/src/servers/routes.ts', "import fastify from 'fastify'", 'only packages/panel/src/http'],
  ['packages/panel/src/servers/x.ts', "const x = await import('better-sqlite3')", 'only packages/panel/src/database'],
  ['packages/daemon/src/console/x.ts', "import { y } from './y'", 'end it in .ts'],
])('%s may not say %s', (path, text, objection) => {
  expect(brokenImports(sourceOf(path, text)).join('\n')).toContain(objection)
})

test('the keeper stands alone: nothing of ours beside its own folder runs in it, so that an upgrade cannot break it', () => {
  const entry = 'packages/daemon/src/keeper/main.ts'
  const running = reachedFrom(entry, new Map(ours.map((source) => [source.path, source])))

  const foreign = running.flatMap((source) => [
    ...(source.path.startsWith('packages/daemon/src/keeper/') ? [] : [`${source.path} runs in the keeper`]),
    ...source.imports
      .filter(({ from, isType }) => from.startsWith('@innkeeper/') && !isType)
      .map(({ from, start }) => `${source.at(start)} imports '${from}'`),
  ])

  expect(running, `${entry} is the keeper's entry; tell this check when it moves`).not.toEqual([])
  expect(foreign).toEqual([])
})

test('a program does not load what only tests use', () => {
  const loaded = ours
    .filter(({ path }) => !isForTests(path))
    .flatMap((source) =>
      source.imports
        .filter(({ from }) => /(^|\/)testing\/|\.test\.ts|^vitest$/.test(from))
        .map(({ from, start }) => `${source.at(start)} imports '${from}': tests may import it, the program may not`),
    )

  expect(loaded).toEqual([])
})
