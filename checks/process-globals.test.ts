import { expect, test } from 'vitest'
import { getSource, isForTests, type Source, sources } from './sources.ts'

/** Entry points of processes: only they read the environment, exit and handle signals. */
const entryPoints = [
  'packages/cli/src/main.ts',
  'packages/daemon/src/keeper/process/main.ts',
  'packages/daemon/src/keeper/launch.ts',
]

const processGlobals = new Set(['env', 'argv', 'exit', 'exitCode', 'abort', 'chdir', 'on', 'once', 'stdin', 'umask'])

/** Accesses to globals of the process in a file. */
function processAccesses(source: Source): string[] {
  const found: string[] = []
  source.visit({
    MemberExpression({ object, property, start }) {
      if (object.type !== 'Identifier' || object.name !== 'process' || property.type !== 'Identifier') return
      if (!processGlobals.has(property.name)) return
      found.push(
        `${source.at(start)} uses process.${property.name}: read it in ${entryPoints[0]} and pass it as an argument`,
      )
    },
  })
  for (const { from, start } of source.imports) {
    if (/^(node:)?process$/.test(from)) found.push(`${source.at(start)} imports '${from}': use the global process`)
  }
  return found
}

test('only the entry point of a process reads its environment, exits and handles signals', () => {
  const others = sources('packages/*/src/**/*.{ts,tsx}').filter(
    ({ path }) => !isForTests(path) && !entryPoints.includes(path),
  )

  expect(others.flatMap(processAccesses)).toEqual([])
})

test('the check finds an access to the environment elsewhere', () => {
  const source = getSource('packages/panel/src/panel.ts', "\nif (process.env.DEBUG) process.on('exit', () => {})")

  expect(processAccesses(source)).toEqual([
    expect.stringContaining('packages/panel/src/panel.ts:2 uses process.env'),
    expect.stringContaining('uses process.on'),
  ])
})
