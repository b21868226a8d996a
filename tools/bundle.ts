import { existsSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { rolldown } from 'rolldown'
import { bundleExternals } from './bundle-externals.ts'
import { bundleEntry, root } from './commands.ts'
import { bundleDirname, preserveFileUrls } from './preserve-file-urls.ts'

/**
 * Bundles the command `innkeeper` and its imports into `packages/cli/dist`; the keeper stays outside. `bundle.ts <name> <text>`
 * also writes a stamp file with this text, which identifies the sources of the bundle.
 */
const [stampName, stamp = ''] = process.argv.slice(2)
const folder = dirname(bundleEntry)
// With the process id, because two builds can run at the same time.
const [newFolder, oldFolder] = [`${folder}.${process.pid}.new`, `${folder}.${process.pid}.old`]

/** Optional native addons, which are not compiled because install scripts do not run. The libraries work without them. */
const optionalAddons = ['cpu-features', /\.node$/]

const { resolve } = createRequire(bundleEntry)
for (const library of bundleExternals) resolve(library)

const warnings: string[] = []
await using bundle = await rolldown({
  input: { main: join(root, 'packages', 'cli', 'src', 'main.ts') },
  platform: 'node',
  external: [...bundleExternals, ...optionalAddons],
  plugins: [preserveFileUrls(folder)],
  transform: { define: { [bundleDirname]: 'import.meta.dirname' } },
  onLog: (level, { message }) => void (level === 'warn' && warnings.push(message)),
})
await bundle.write({
  dir: newFolder,
  cleanDir: true,
  format: 'esm',
  // Without a hash, so that entries of the compile cache are replaced instead of accumulating.
  chunkFileNames: '[name].js',
  // Not minified, so that stack traces are readable. Minifying does not reduce the memory of the process.
  comments: false,
  // A running process may load chunks of a newer bundle: export names must be stable.
  minifyInternalExports: false,
})
if (warnings.length > 0)
  throw new Error(`The bundle would behave differently from its sources:\n${warnings.join('\n')}`)

if (stampName) writeFileSync(join(newFolder, stampName), stamp)

// Replace the folder by renaming it, so that an incomplete bundle is never visible.
try {
  if (existsSync(folder)) renameSync(folder, oldFolder)
  renameSync(newFolder, folder)
} catch (error) {
  // Another build has put the same bundle there.
  if (!existsSync(bundleEntry)) throw error
} finally {
  for (const leftover of [newFolder, oldFolder]) rmSync(leftover, { recursive: true, force: true })
}
