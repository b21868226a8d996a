import { closeSync, readdirSync, readFileSync } from 'node:fs'

/**
 * Replaces itself with another program (exec) that inherits only descriptors 0 to 2. node-pty leaves its master
 * descriptors inheritable, so while a terminal is open every other start goes through here: one server must not reach
 * the terminal of another. The command comes in the environment, because argument lists are readable by every user.
 *
 * A running keeper of an earlier release starts this file by its path, so the path must not change within a generation.
 */

/** Linux limits one environment string to 128 KiB. */
const partBytes = 100_000
const partName = 'INNKEEPER_LAUNCH_'

export interface LaunchCommand {
  readonly file: string
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
}

/** Returns the environment that makes `main` run the command. */
export function launchEnvironment(launch: LaunchCommand): Record<string, string> {
  const text = Buffer.from(JSON.stringify(launch)).toString('base64')
  const parts: Record<string, string> = {}
  for (let at = 0; at < text.length; at += partBytes)
    parts[`${partName}${at / partBytes}`] = text.slice(at, at + partBytes)
  return parts
}

function parseLaunch(env: NodeJS.ProcessEnv): LaunchCommand {
  let text = ''
  for (let part = 0; ; part++) {
    const more = env[`${partName}${part}`]
    if (more === undefined) break
    text += more
  }
  return JSON.parse(Buffer.from(text, 'base64').toString()) as LaunchCommand
}

/** Closes inherited descriptors other than 0 to 2: Node.js opens all others with close-on-exec. */
export function closeInheritedFds(): void {
  const closesOnExec = 0o2000000
  for (const fd of readdirSync('/proc/self/fd').map(Number)) {
    if (fd > 2 && (fdFlags(fd) & closesOnExec) === 0) closeSync(fd)
  }
}

function fdFlags(fd: number): number {
  try {
    const flags = /^flags:\s*(\d+)/m.exec(readFileSync(`/proc/self/fdinfo/${fd}`, 'latin1'))?.[1]
    return Number.parseInt(flags ?? '0', 8)
  } catch {
    // The descriptor of the directory listing, closed already.
    return 0o2000000
  }
}

/** Node.js ignores these two signals, and exec would inherit that. */
function restoreSignals(): void {
  const nothing = () => undefined
  for (const signal of ['SIGPIPE', 'SIGXFSZ'] as const) process.on(signal, nothing).off(signal, nothing)
}

if (import.meta.main) {
  const { file, args, env } = parseLaunch(process.env)
  closeInheritedFds()
  restoreSignals()
  if (!process.execve) throw new Error('this Node.js cannot replace its process (process.execve)')
  process.execve(file, [file, ...args], env)
}
