import { spawnSync } from 'node:child_process'
import { root } from '../../tools/commands.ts'

interface Options {
  readonly cwd?: string
  readonly env?: Readonly<Record<string, string>>
}

/**
 * Runs a command and returns its stdout.
 * @throws Error with its stderr when it fails.
 */
export function run(command: readonly string[], { cwd = root, env = {} }: Options = {}): string {
  const [file = '', ...args] = command
  const { status, error, stdout, stderr } = spawnSync(file, args, {
    cwd,
    env: { ...process.env, ...env },
    encoding: 'utf8',
    maxBuffer: 256 * 1024 * 1024,
  })
  if (error) throw error
  if (status !== 0) throw new Error(`${command.join(' ')} failed:\n${stderr || stdout}`)
  return stdout
}

/** The command of npm. */
export function npm(): readonly string[] {
  const script = process.env.npm_execpath
  return script?.endsWith('.js') ? [process.execPath, script] : ['npm']
}
