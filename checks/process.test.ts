import { expect, test } from 'vitest'
import { isForTests, type Source, sourceOf, sources } from './sources.ts'

/** The entries of processes: they alone read the environment, exit and hear signals. */
const entries = [
  'packages/cli/src/main.ts',
  'packages/daemon/src/keeper/process/main.ts',
  'packages/daemon/src/keeper/launch.ts',
]

const members = new Set(['env', 'argv', 'exit', 'exitCode', 'abort', 'chdir', 'on', 'once', 'stdin', 'umask'])

/** Where a file that is no entry reaches for what belongs to the whole process. */
function reachesForTheProcess(source: Source): string[] {
  const found: string[] = []
  source.visit({
    MemberExpression({ object, property, start }) {
      if (object.type !== 'Identifier' || object.name !== 'process' || property.type !== 'Identifier') return
      if (!members.has(property.name)) return
      found.push(`${source.at(start)} uses process.${property.name}: let ${entries[0]} read it and hand it in`)
    },
  })
  for (const { from, start } of source.imports) {
    if (/^(node:)?process$/.test(from)) found.push(`${source.at(start)} imports '${from}': use the global process`)
  }
  return found
}

test('only the entry point of a process reads its environment, exits and handles signals', () => {
  const inside = sources('packages/*/src/**/*.{ts,tsx}').filter(
    ({ path }) => !isForTests(path) && !entries.includes(path),
  )

  expect(inside.flatMap(reachesForTheProcess)).toEqual([])
})

test('the check finds an access to the environment elsewhere', () => {
  const source = sourceOf('packages/panel/src/panel.ts', "\nif (process.env.DEBUG) process.on('exit', () => {})")

  expect(reachesForTheProcess(source)).toEqual([
    expect.stringContaining('packages/panel/src/panel.ts:2 uses process.env'),
    expect.stringContaining('uses process.on'),
  ])
})
