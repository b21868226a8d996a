import { spawn } from 'node:child_process'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The folder of the repository. */
export const root = dirname(dirname(fileURLToPath(import.meta.url)))

/** The product as `npm start` runs it: a bundle that `tools/prepare.mjs` makes. */
export const product = join(root, 'packages', 'cli', 'dist', 'main.js')

/** A program that a package brought, run by this very Node.js. */
export const ofPackage = (script: string): readonly [string, string] => [
  process.execPath,
  join(root, 'node_modules', script),
]

/** What must hold of the sources before any test runs: types, lint, format. */
export const sourceChecks: readonly { readonly name: string; readonly command: readonly string[] }[] = [
  { name: 'types', command: [...ofPackage('typescript/bin/tsc'), '-b'] },
  { name: 'format and lint', command: [...ofPackage('@biomejs/biome/bin/biome'), 'ci', '--error-on-warnings', '.'] },
  { name: 'promises', command: [...ofPackage('oxlint/bin/oxlint'), '--type-aware', '--deny-warnings'] },
]

/** Runs a command with our output; resolves to whether it ended well. */
export function succeeds(command: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<boolean> {
  const [file, ...args] = command as [string, ...string[]]
  return new Promise((resolve) => {
    const child = spawn(file, args, {
      cwd: root,
      stdio: ['ignore', 'inherit', 'inherit'],
      env: { ...process.env, ...env },
    })
    child.on('error', (error) => {
      console.error(`${file}: ${error.message}`)
      resolve(false)
    })
    child.on('exit', (code) => resolve(code === 0))
  })
}
