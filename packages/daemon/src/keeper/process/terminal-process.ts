import { writeSync } from 'node:fs'
import { constants } from 'node:os'
import { type IPty, spawn } from '@lydell/node-pty'
import { keeperLimits, type TerminalSize } from '../protocol.ts'
import type { ChildProcessHandle, Command, ProcessEvents } from './child-process-handle.ts'

/** Members of node-pty on Linux that are missing in its types. */
interface UnixTerminal extends IPty {
  readonly fd: number
  on(event: 'close', listener: () => void): void
}

/** Starts a process in a pseudo-terminal. node-pty sets TERM and PWD. */
export function startOnTerminal(
  command: Command,
  size: TerminalSize,
  spawnGuarded: <T>(fork: () => T) => T,
  events: ProcessEvents,
): ChildProcessHandle {
  const terminal = spawnGuarded(() =>
    spawn(command.file, [...command.args], {
      ...size,
      name: command.env.TERM ?? 'xterm-256color',
      cwd: command.cwd,
      env: { ...command.env },
      encoding: null,
    }),
  )
  return new TerminalProcess(terminal as UnixTerminal, events)
}

class TerminalProcess implements ChildProcessHandle {
  readonly pid: number
  readonly #terminal: UnixTerminal
  #isOpen = true
  #waiting: Buffer[] = []
  #waitingBytes = 0
  #retry: NodeJS.Timeout | undefined

  constructor(terminal: UnixTerminal, events: ProcessEvents) {
    this.#terminal = terminal
    this.pid = terminal.pid
    // Without an encoding node-pty passes bytes, unlike its type says.
    terminal.onData((data: unknown) => events.onOutput(data as Buffer))
    terminal.on('close', () => this.#close())
    terminal.onExit(({ exitCode, signal }) => {
      this.#close()
      events.onEnd(signal ? { code: null, signal: signalName(signal) } : { code: exitCode, signal: null })
    })
  }

  write(bytes: Buffer): number {
    if (!this.#isOpen) return 0
    if (this.#waitingBytes + bytes.length > keeperLimits.inputBytes) return bytes.length
    this.#waiting.push(bytes)
    this.#waitingBytes += bytes.length
    if (!this.#retry) this.#flushInput()
    return 0
  }

  resize(cols: number, rows: number): void {
    if (this.#isOpen) this.#terminal.resize(cols, rows)
  }

  pause(): void {
    this.#terminal.pause()
  }

  resume(): void {
    this.#terminal.resume()
  }

  /**
   * Not through node-pty's stream, which busy-loops on a terminal whose program does not read. The descriptor is
   * non-blocking and returns EAGAIN when it is full.
   */
  #flushInput(): void {
    this.#retry = undefined
    while (this.#isOpen) {
      const next = this.#waiting[0]
      if (!next) return
      const written = writeNow(this.#terminal.fd, next)
      if (written === 'full') break
      if (written === 'closed') {
        this.#close()
        return
      }
      this.#waitingBytes -= written
      if (written < next.length) this.#waiting[0] = next.subarray(written)
      else this.#waiting.shift()
    }
    if (this.#isOpen) this.#retry = setTimeout(() => this.#flushInput(), keeperLimits.inputRetryMs)
  }

  #close(): void {
    this.#isOpen = false
    clearTimeout(this.#retry)
    this.#waiting = []
    this.#waitingBytes = 0
  }
}

function writeNow(fd: number, bytes: Buffer): number | 'full' | 'closed' {
  try {
    return writeSync(fd, bytes)
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EAGAIN' ? 'full' : 'closed'
  }
}

function signalName(number: number): string {
  return Object.entries(constants.signals).find(([, value]) => value === number)?.[0] ?? String(number)
}
