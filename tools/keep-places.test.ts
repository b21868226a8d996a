import { join } from 'node:path'
import { expect, test } from 'vitest'
import { root } from './commands.ts'
import { folderOfBundle, placedIn } from './keep-places.ts'

const folder = join(root, 'packages/cli/dist')
const archives = 'packages/daemon/src/archives/archives.ts'

/** A module as it is bundled. */
const placed = (path: string, code: string) => placedIn(folder, join(root, path), code)

test('a worker is bundled and found next to the bundle', () => {
  const { code, threads } = placed(archives, `begin(new URL('../patterns/pattern-worker.ts', import.meta.url), {})`)

  expect(code).toBe(`begin(new URL('./pattern-worker.js', import.meta.url), {})`)
  expect(threads).toEqual([join(root, 'packages/daemon/src/patterns/pattern-worker.ts')])
})

test.each([
  [
    'packages/panel/src/mail/texts.ts',
    'const text: URL = new URL(`./texts/${language}.json`, import.meta.url)',
    `const text: URL = new URL(\`./texts/\${language}.json\`, new URL('../../panel/src/mail/texts.ts', import.meta.url).href)`,
  ],
  [
    'packages/daemon/src/keeper/client/spawn-keeper.ts',
    `new URL('../process/main.ts', import.meta.url)`,
    `new URL('../process/main.ts', new URL('../../daemon/src/keeper/client/spawn-keeper.ts', import.meta.url).href)`,
  ],
  [
    'packages/panel/src/http/api-docs.ts',
    `createRequire(import.meta.url)`,
    `createRequire(new URL('../../panel/src/http/api-docs.ts', import.meta.url).href)`,
  ],
  ['packages/daemon/src/keeper/launch.ts', 'if (import.meta.main) leave()', 'if (false) leave()'],
])('%s finds its files in the original location', (path, code, expected) => {
  expect(placed(path, code)).toEqual({ code: expected, threads: [] })
})

test('a CommonJS library finds its files in the installed package', () => {
  const { code } = placed('node_modules/pino/lib/transport.js', `join(__dirname, 'worker.js')`)

  expect(code).toBe(
    `const __filename = require('node:path').join(${folderOfBundle}, "../../../node_modules/pino/lib/transport.js"), ` +
      `__dirname = require('node:path').dirname(__filename);join(__dirname, 'worker.js')`,
  )
})

test.each([
  ['a path that could be anything', 'new URL(path, import.meta.url)'],
  ['a program whose name is not written out', 'new URL(`../${name}-worker.ts`, import.meta.url)'],
  ['a program that is no thread', `new URL('./archives.ts', import.meta.url)`],
  ['a thread that is not there', `new URL('./gone-worker.ts', import.meta.url)`],
  ['what else the runtime says of a module', 'import.meta.dirname'],
  ['whether it is the main module', 'if (import.meta.main) leave()'],
  ['a module that hands out what it knows of itself', 'const { url } = import.meta'],
])('%s cannot be bundled', (_what, code) => {
  expect(() => placed(archives, `\n${code}`)).toThrow('archives.ts:2 cannot be bundled')
})
