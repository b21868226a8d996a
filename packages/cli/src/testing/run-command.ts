import { spawn } from 'node:child_process'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { compileCacheEnv } from '@innkeeper/daemon/workers/start-worker'

const main = fileURLToPath(new URL('../main.ts', import.meta.url))

/** The result of a command. */
export interface CommandResult {
  readonly code: number | null
  readonly out: string
  readonly err: string
}

/**
 * Runs `innkeeper` with arguments; `input` is what it reads instead of a terminal. It gets SIGINT, as by Ctrl+C, when its
 * output has the text `interruptAt`.
 */
export async function runCommand(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  input = '',
  { interruptAt }: { readonly interruptAt?: string } = {},
): Promise<CommandResult> {
  const child = spawn(process.execPath, [main, ...args], {
    env: { PATH: '/usr/bin:/bin', ...compileCacheEnv(), ...env },
  })
  child.stdin.on('error', () => {})
  child.stdin.end(input)
  if (interruptAt !== undefined) {
    let seen = ''
    child.stdout.on('data', (part: Buffer) => {
      const wasSeen = seen.includes(interruptAt)
      seen += part.toString()
      if (!wasSeen && seen.includes(interruptAt)) child.kill('SIGINT')
    })
  }
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve))
  const [code, out, err] = await Promise.all([ended, text(child.stdout), text(child.stderr)])
  return { code, out, err }
}
