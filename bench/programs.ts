import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'

/** Runs a program to its end; its output is thrown away. @throws Error with what it said when it fails. */
export async function run(
  file: string,
  args: readonly string[],
  options: { cwd?: string; input?: string; env?: NodeJS.ProcessEnv } = {},
) {
  const child = spawn(file, args, { cwd: options.cwd, env: options.env, stdio: ['pipe', 'ignore', 'pipe'] })
  let said = ''
  child.stderr.on('data', (data: Buffer) => {
    said = `${said}${data}`.slice(-2_000)
  })
  child.stdin.on('error', () => {})
  child.stdin.end(options.input)
  const [code] = (await once(child, 'exit')) as [number | null]
  if (code !== 0) throw new Error(`${file} ${args.join(' ')} ended with ${code}: ${said}`)
}

/** A program that serves until it is told to end. */
export class Service implements AsyncDisposable {
  readonly #child: ChildProcess

  private constructor(child: ChildProcess) {
    this.#child = child
  }

  /** Started, and found ready by `isReady`. */
  static async start(file: string, args: readonly string[], isReady: () => Promise<boolean>): Promise<Service> {
    const service = new Service(spawn(file, args, { stdio: ['ignore', 'ignore', 'inherit'] }))
    const until = Date.now() + 10_000
    while (!(await isReady())) {
      if (service.#child.exitCode !== null || Date.now() > until) throw new Error(`${file} did not start`)
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
    return service
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const ended = once(this.#child, 'exit')
    this.#child.kill('SIGTERM')
    await ended
  }
}
