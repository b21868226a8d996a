import { enableCompileCache } from 'node:module'
import { join } from 'node:path'
import { root } from './commands.ts'

// Hundreds of tests start the same processes: each would strip and compile the same sources.
enableCompileCache(join(root, 'node_modules/.cache/compile'))
