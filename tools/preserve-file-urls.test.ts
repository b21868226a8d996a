import { join } from 'node:path'
import { expect, test } from 'vitest'
import { root } from './commands.ts'
import { bundleDirname, transformModule } from './preserve-file-urls.ts'

const folder = join(root, 'packages/cli/dist')
const archives = 'packages/daemon/src/archives/archives.ts'

/** Transforms a module of the repository. */
const transform = (path: string, code: string) => transformModule(folder, join(root, path), code)

test('a worker is bundled and found next to the bundle', () => {
  const { code, workers } = transform(archives, `start(new URL('../patterns/pattern-worker.ts', import.meta.url), {})`)

  expect(code).toBe(`start(new URL('./pattern-worker.js', import.meta.url), {})`)
  expect(workers).toEqual([join(root, 'packages/daemon/src/patterns/pattern-worker.ts')])
})

test.each([
  [
    'packages/panel/src/mail/texts.ts',
    'const text: URL = new URL(`../../translations/${language}.json`, import.meta.url)',
    `const text: URL = new URL(\`../../translations/\${language}.json\`, new URL('../../panel/src/mail/texts.ts', import.meta.url).href)`,
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
  ['packages/daemon/src/keeper/launch.ts', 'if (import.meta.main) exit()', 'if (false) exit()'],
])('%s finds its files in the original location', (path, code, expected) => {
  expect(transform(path, code)).toEqual({ code: expected, workers: [] })
})

test('a CommonJS library finds its files in the installed package', () => {
  const { code } = transform('node_modules/pino/lib/transport.js', `join(__dirname, 'worker.js')`)

  expect(code).toBe(
    `const __filename = require('node:path').join(${bundleDirname}, "../../../node_modules/pino/lib/transport.js"), ` +
      `__dirname = require('node:path').dirname(__filename);join(__dirname, 'worker.js')`,
  )
})

test.each([
  ['a variable as the path', 'new URL(path, import.meta.url)'],
  ['a script with a computed name', 'new URL(`../${name}-worker.ts`, import.meta.url)'],
  ['a script that is not a worker', `new URL('./archives.ts', import.meta.url)`],
  ['a worker that does not exist', `new URL('./gone-worker.ts', import.meta.url)`],
  ['another property of import.meta', 'import.meta.dirname'],
  ['import.meta.main', 'if (import.meta.main) exit()'],
  ['a destructured import.meta', 'const { url } = import.meta'],
])('%s cannot be bundled', (_what, code) => {
  expect(() => transform(archives, `\n${code}`)).toThrow('archives.ts:2 cannot be bundled')
})
