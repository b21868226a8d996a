import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { closeSync, constants, openSync, unlinkSync } from 'node:fs'
import { Socket } from 'node:net'
import { promisify } from 'node:util'
import { type Exit, keeperLimits } from '../protocol.ts'
import type { ChildProcessHandle, Command, ProcessEvents } from './child-process-handle.ts'

/** Shared by all runs: each read is passed on before the next one begins. */
const readBuffer = Buffer.allocUnsafeSlow(keeperLimits.chunkBytes)

/**
 * Starts a process with pipes. They are named pipes, opened at both ends and unlinked at once: Node's own "pipes" are
 * sockets, on which `/dev/stderr` or `/dev/stdout` cannot be opened. stdout and stderr share one pipe, which preserves
 * their order.
 */
export async function startPiped(
  /** Called at the last moment: the command depends on which terminals are open then. */
  commandNow: () => Command,
  pathBase: string,
  spawnGuarded: <T>(fork: () => T) => T,
  events: ProcessEvents,
): Promise<ChildProcessHandle> {
  const input = `${pathBase}.in`
  const output = `${pathBase}.out`
  await makePipes([input, output])
  using ends = openEnds(input, output)

  const command = commandNow()
  const child = spawnGuarded(() =>
    spawn(command.file, command.args, {
      cwd: command.cwd,
      env: command.env,
      shell: false,
      detached: true,
      stdio: [ends.childInput, ends.childOutput, ends.childOutput],
    }),
  )
  const pid = await running(child)
  return new PipedProcess(child, pid, ends.detachParentEnds(), events)
}

class PipedProcess implements ChildProcessHandle {
  readonly pid: number
  readonly #input: Socket
  readonly #output: Socket
  readonly #events: ProcessEvents
  #exit: Exit | undefined
  #isFinished = false
  #quietTimer: NodeJS.Timeout | undefined

  constructor(child: ChildProcess, pid: number, ends: ParentEnds, events: ProcessEvents) {
    this.pid = pid
    this.#events = events
    this.#input = new Socket({ fd: ends.input, readable: false, writable: true })
    this.#output = new Socket({
      fd: ends.output,
      readable: true,
      writable: false,
      onread: { buffer: readBuffer, callback: (length, bytes) => this.#read(bytes.subarray(0, length)) },
    })
    // The process closed its input or exited: further input is discarded, which is not an error of the run.
    this.#input.on('error', () => this.#input.destroy())
    this.#output.on('error', () => this.#output.destroy())
    this.#output.on('close', () => this.#finishIfDone())
    this.#output.resume()
    child.on('exit', (code, signal) => this.#exited({ code, signal }))
  }

  write(bytes: Buffer): number {
    if (!this.#input.writable) return 0
    if (this.#input.writableLength + bytes.length > keeperLimits.inputBytes) return bytes.length
    this.#input.write(bytes)
    return 0
  }

  resize(): void {
    // Pipes have no size.
  }

  pause(): void {
    this.#output.pause()
  }

  resume(): void {
    this.#output.resume()
  }

  #read(bytes: Uint8Array): boolean {
    this.#quietTimer?.refresh()
    if (!this.#isFinished) this.#events.onOutput(bytes)
    return true
  }

  #exited(exit: Exit): void {
    this.#exit = exit
    this.#input.destroy()
    if (this.#output.destroyed) {
      this.#finishIfDone()
      return
    }
    // Descendants may keep the pipe open: a short silence ends the wait for the last output. The pipe is read to its
    // end nevertheless, because a descendant that is still saving would die of a closed one.
    this.#quietTimer = setTimeout(() => this.#finish(exit), keeperLimits.lastOutputMs)
    const total = setTimeout(() => this.#finish(exit), keeperLimits.lastOutputTotalMs)
    this.#output.once('close', () => clearTimeout(total))
  }

  /** Output can end long before the exit, and the exit can come before the last output. */
  #finishIfDone(): void {
    if (this.#exit) this.#finish(this.#exit)
  }

  #finish(exit: Exit): void {
    clearTimeout(this.#quietTimer)
    if (this.#isFinished) return
    this.#isFinished = true
    // Nobody would end a pause of the output any more.
    this.#output.resume()
    this.#events.onEnd(exit)
  }
}

interface ParentEnds {
  readonly input: number
  readonly output: number
}

/** Both ends of both pipes. On disposal the child's ends are closed, and the parent's unless they were taken. */
function openEnds(input: string, output: string) {
  const opened: number[] = []
  const openEnd = (path: string, flags: number) => {
    const fd = openSync(path, flags)
    opened.push(fd)
    return fd
  }
  const close = (fd: number) => {
    opened.splice(opened.indexOf(fd), 1)
    closeSync(fd)
  }
  try {
    // In this order no open blocks. libuv makes the child's ends blocking.
    const childInput = openEnd(input, constants.O_RDONLY | constants.O_NONBLOCK)
    const ourInput = openEnd(input, constants.O_WRONLY | constants.O_NONBLOCK)
    const ourOutput = openEnd(output, constants.O_RDONLY | constants.O_NONBLOCK)
    const childOutput = openEnd(output, constants.O_WRONLY)
    return {
      childInput,
      childOutput,
      detachParentEnds(): ParentEnds {
        close(childInput)
        close(childOutput)
        opened.length = 0
        return { input: ourInput, output: ourOutput }
      },
      [Symbol.dispose]() {
        for (const fd of opened) closeSync(fd)
      },
    }
  } catch (error) {
    for (const fd of opened) closeSync(fd)
    throw error
  } finally {
    unlinkSync(input)
    unlinkSync(output)
  }
}

const run = promisify(execFile)

async function makePipes(paths: readonly string[]): Promise<void> {
  await run('mkfifo', ['-m', '600', '--', ...paths])
}

function running(child: ChildProcess): Promise<number> {
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('spawn', () => {
      // Nothing is sent through the child's own handle. Without a listener an error would end the keeper.
      child.on('error', () => undefined)
      if (child.pid !== undefined) resolve(child.pid)
    })
  })
}
