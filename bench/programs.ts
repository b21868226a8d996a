import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'

/** Small, because the start of some programs is measured. */
const pollMs = 5

/** Runs a program and waits for its exit. @throws Error with its stderr if it fails. */
export async function run(
  file: string,
  args: readonly string[],
  options: { cwd?: string; input?: string; env?: NodeJS.ProcessEnv } = {},
) {
  const child = spawn(file, args, { cwd: options.cwd, env: options.env, stdio: ['pipe', 'ignore', 'pipe'] })
  let stderr = ''
  child.stderr.on('data', (data: Buffer) => {
    stderr = `${stderr}${data}`.slice(-2_000)
  })
  child.stdin.on('error', () => {})
  child.stdin.end(options.input)
  const [code] = (await once(child, 'exit')) as [number | null]
  if (code !== 0) throw new Error(`${file} ${args.join(' ')} exited with ${code}: ${stderr}`)
}

/** A background program. */
export class Service implements AsyncDisposable {
  readonly #child: ChildProcess

  private constructor(child: ChildProcess) {
    this.#child = child
  }

  /** Starts it and waits until `isReady`. */
  static async start(file: string, args: readonly string[], isReady: () => Promise<boolean>): Promise<Service> {
    const service = new Service(spawn(file, args, { stdio: ['ignore', 'ignore', 'inherit'] }))
    const deadline = Date.now() + 10_000
    while (!(await isReady())) {
      if (service.#child.exitCode !== null || Date.now() > deadline) throw new Error(`${file} did not start`)
      await pause(pollMs)
    }
    return service
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const exited = once(this.#child, 'exit')
    this.#child.kill('SIGTERM')
    await exited
  }
}
