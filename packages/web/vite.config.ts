/// <reference types="node" />
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { extname, join } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import react from '@vitejs/plugin-react'
import { defineConfig, type Plugin, type ProxyOptions } from 'vite'
import { acyclicFiles } from './acyclic-files.ts'
import { firstLoadBudgets } from './first-load.ts'

/** Where a panel listens while the web app is developed. */
const panel = process.env.INNKEEPER_DEV_PANEL ?? 'http://127.0.0.1:8080'

/** Pages and calls share the paths below `/auth`: a browser asking for a page gets the app. */
const calls: ProxyOptions = {
  target: panel,
  bypass: (asked) =>
    asked.method === 'GET' && asked.headers.accept?.includes('text/html') ? '/index.html' : undefined,
}

/** What every page of a signed-in user loads when nothing else is to do, and the servers list with its first response. */
const afterFirstLoad = [
  /\/src\/app\/(command-palette|shortcuts-dialog)\.tsx$/,
  /\/src\/hotkeys\/sequence-hint\.tsx$/,
  /\/src\/ui\/overlays\/confirm-dialog\.tsx$/,
  /\/src\/screens\/servers\/(bulk\/server-bulk-bar|first-steps|list-footer|release-notice|server-row-menu|status-filter)\.tsx$/,
  /\/src\/features\/clone\/failed-clones\.tsx$/,
  /\/contract\/src\/errors\/reasons\.ts$/,
  /\/src\/screens\/servers\/(saved-filters\/saved-filters|tags\/tag-filter)\.tsx$/,
]

export default defineConfig({
  plugins: [
    react(),
    precompress(),
    acyclicFiles(),
    firstLoadBudgets({
      'sign-in page': {
        modules: ['main.tsx', 'app/auth-frame.tsx', 'screens/sign-in/sign-in-screen.tsx'],
        maxBytes: 195_000,
      },
      'servers list': {
        modules: ['main.tsx', 'app/shell.tsx', 'screens/servers/servers-screen.tsx'],
        maxBytes: 245_000,
      },
    }),
  ],
  server: {
    proxy: {
      '/api': calls,
      '/auth': calls,
      '/theme': panel,
      '/manifest.json': panel,
      '/proxy': { target: panel, ws: true },
    },
  },
  build: {
    outDir: 'dist',
    emptyOutDir: true,
    target: 'baseline-widely-available',
    // No inline modules or images: the content security policy allows scripts from the panel itself only.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // `firstLoadBudgets` limits what a page loads.
    chunkSizeWarningLimit: 1_000,
    rolldownOptions: {
      output: {
        // Without the names of all pages that share the file.
        chunkFileNames: ({ name }) => `assets/${name.split('~')[0]}-[hash].js`,
        assetFileNames: ({ names }) =>
          `assets/${(names[0] ?? '').split('~')[0]?.replace(/\.\w+$/, '')}-[hash][extname]`,
        codeSplitting: {
          // A few files instead of dozens: fewer requests, and they compress better. Each holds what its pages need together.
          groups: [
            { name: 'app', tags: ['$initial'] },
            // The following groups also take what their modules import.
            { name: 'servers-list', test: /\/src\/(app\/shell|screens\/servers\/servers-screen)\.tsx$/ },
            {
              name: 'overlays',
              test: /@floating-ui|@mantine\/core\/esm\/components\/(FocusTrap|Menu|Popover|ScrollArea|Tooltip)\//,
            },
            { name: 'after-first-load', test: (id) => afterFirstLoad.some((modules) => modules.test(id)) },
            // What several pages share. No two files import each other: each holds what its modules import, or a file above it does.
            {
              name: 'editor',
              test: /\/(@codemirror|@lezer|@marijn|style-mod|w3c-keyname|crelt)\//,
              minShareCount: 2,
              entriesAware: true,
            },
            { name: 'shared', minShareCount: 8 },
            { name: 'shared', minShareCount: 4 },
            { name: 'shared', minShareCount: 2, entriesAware: true },
          ],
        },
      },
    },
  },
})

/** Writes `.br` and `.gz` beside what the browser loads, so that the panel never compresses them itself. */
function precompress(): Plugin {
  const compressible = new Set(['.js', '.css', '.html', '.svg', '.json'])
  const smallest = { params: { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY } }
  return {
    name: 'innkeeper:precompress',
    apply: 'build',
    async writeBundle({ dir }) {
      if (!dir) return
      const entries = await readdir(dir, { recursive: true, withFileTypes: true })
      const files = entries.filter((entry) => entry.isFile() && compressible.has(extname(entry.name)))
      for (const file of files) {
        const path = join(file.parentPath, file.name)
        const content = await readFile(path)
        await writeFile(`${path}.br`, await promisify(brotliCompress)(content, smallest))
        await writeFile(`${path}.gz`, await promisify(gzip)(content, { level: constants.Z_BEST_COMPRESSION }))
      }
    },
  }
}
