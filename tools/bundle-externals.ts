/** Libraries that the bundle loads from `node_modules`: parts of them are not JavaScript. */
export const bundleExternals = ['7z-wasm', '@lydell/node-pty', 'better-sqlite3'] as const
