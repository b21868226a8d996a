import { spawn } from 'node:child_process'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The folder of the repository. */
export const root = dirname(dirname(fileURLToPath(import.meta.url)))

/** The bundle that `npm start` runs. `tools/prepare.mjs` builds it. */
export const bundleEntry = join(root, 'packages', 'cli', 'dist', 'main.js')

/** Command that runs a script of an npm package with the current Node.js. */
export const packageScript = (script: string): readonly [string, string] => [
  process.execPath,
  join(root, 'node_modules', script),
]

/** Static checks of the sources: types, format and lint. */
export const sourceChecks: readonly { readonly name: string; readonly command: readonly string[] }[] = [
  // More checkers per project take twice the CPU time and memory, because each of them checks the shared types itself.
  { name: 'types', command: [...packageScript('typescript/bin/tsc'), '-b', '--checkers', '1', '--builders', '2'] },
  {
    name: 'format and lint',
    command: [...packageScript('@biomejs/biome/bin/biome'), 'ci', '--colors=off', '--error-on-warnings', '.'],
  },
  { name: 'promises', command: [...packageScript('oxlint/bin/oxlint'), '--type-aware', '--deny-warnings'] },
]

/** Runs a command that inherits stdout and stderr. Resolves with whether it exited with 0. */
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
