import { existsSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { rolldown } from 'rolldown'
import { bundleExternals } from './bundle-externals.ts'
import { product, root } from './commands.ts'
import { folderOfBundle, keepPlaces } from './keep-places.ts'

/**
 * Makes what `npm start` runs: the command, and all that it loads but the keeper, in a few files of JavaScript.
 * `bundle.ts <name> <text>` puts a file beside them that says what they were made of.
 */
const [stamp, madeOf = ''] = process.argv.slice(2)
const folder = dirname(product)
// Of this build alone: two that are started together are made at the same time.
const [fresh, former] = [`${folder}.${process.pid}.new`, `${folder}.${process.pid}.old`]

/** Parts of libraries that are compiled where they are installed, which ours are not: they do without. */
const uncompiled = ['cpu-features', /\.node$/]

const { resolve } = createRequire(product)
for (const library of bundleExternals) resolve(library)

const warnings: string[] = []
await using bundle = await rolldown({
  input: { main: join(root, 'packages', 'cli', 'src', 'main.ts') },
  platform: 'node',
  external: [...bundleExternals, ...uncompiled],
  plugins: [keepPlaces(folder)],
  transform: { define: { [folderOfBundle]: 'import.meta.dirname' } },
  onLog: (level, { message }) => void (level === 'warn' && warnings.push(message)),
})
await bundle.write({
  dir: fresh,
  cleanDir: true,
  format: 'esm',
  // Without a hash: what was compiled of a former bundle is replaced in the cache, and does not stay there for ever.
  chunkFileNames: '[name].js',
  // Lines and names stay for whoever reads a stack trace: without them the process would be as large.
  comments: false,
  // A process that still runs meets chunks of a newer bundle: a name must not mean something else there.
  minifyInternalExports: false,
})
if (warnings.length > 0) throw new Error(`This would not run as it does from its sources:\n${warnings.join('\n')}`)

if (stamp) writeFileSync(join(fresh, stamp), madeOf)

// Half a bundle is never where a whole one is looked for, and nothing of a former one stays.
try {
  if (existsSync(folder)) renameSync(folder, former)
  renameSync(fresh, folder)
} catch (error) {
  // Another build of the same sources came between.
  if (!existsSync(product)) throw error
} finally {
  for (const left of [fresh, former]) rmSync(left, { recursive: true, force: true })
}
