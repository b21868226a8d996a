import { enableCompileCache } from 'node:module'
import { join } from 'node:path'
import { root } from './commands.ts'

// Hundreds of tests start the same programs: with the cache, sources are stripped and compiled once.
enableCompileCache(join(root, 'node_modules/.cache/compile'))
