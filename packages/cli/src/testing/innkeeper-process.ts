import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { compileCacheEnv } from '@innkeeper/daemon/workers/start-worker'

/** The arguments of `innkeeper run`. */
const usual: readonly string[] = [process.execPath, fileURLToPath(new URL('../main.ts', import.meta.url)), 'run']

/** `innkeeper run` with a limit of open files. */
export function withOpenFiles(limit: number): readonly string[] {
  return ['/bin/sh', '-c', `ulimit -n ${limit}; exec "$@"`, 'sh', ...usual]
}

/** `innkeeper run` where Docker has this socket. */
export function withDocker(socketPath: string): readonly string[] {
  const script = `mount -t tmpfs none /run && ln -s ${socketPath} /run/docker.sock && exec "$@"`
  return ['/usr/bin/unshare', '--mount', '/bin/sh', '-c', script, 'sh', ...usual]
}

/** `innkeeper run` as a separate process. */
export class InnkeeperProcess {
  readonly #child: ChildProcess
  /** The output so far. */
  output = ''

  private constructor(child: ChildProcess) {
    this.#child = child
  }

  /** Resolves with the URL that it prints. */
  static async start(
    env: Readonly<Record<string, string>>,
    command: readonly string[] = usual,
  ): Promise<InnkeeperProcess> {
    const [file = '', ...args] = command
    const child = spawn(file, args, {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { PATH: '/usr/bin:/bin', ...compileCacheEnv(), ...env },
    })
    const program = new InnkeeperProcess(child)
    await new Promise<void>((resolve, reject) => {
      for (const stream of [child.stdout, child.stderr]) {
        stream.on('data', (part: Buffer) => {
          program.output += part
          if (program.output.includes(' is at http')) resolve()
        })
      }
      child.once('exit', (code) => reject(new Error(`it ended with code ${code}:\n${program.output}`)))
    })
    child.removeAllListeners('exit')
    return program
  }

  /** Memory in use, in bytes. */
  get residentBytes(): number {
    const status = readFileSync(`/proc/${this.#child.pid}/status`, 'latin1')
    return Number(/^VmRSS:\s*(\d+) kB/m.exec(status)?.[1]) * 1024
  }

  /** SIGINT stops its servers first, SIGTERM leaves them running, SIGKILL is a crash. */
  async stop(signal: 'SIGINT' | 'SIGTERM' | 'SIGKILL'): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return
    const exited = once(this.#child, 'exit')
    this.#child.kill(signal)
    await exited
  }
}
