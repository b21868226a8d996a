import { Refusal } from '@innkeeper/contract/errors/refusals'
import type { TerminalSize } from '@innkeeper/contract/servers/live'
import type { Server } from '../../servers/server.ts'

interface Options {
  readonly server: Pick<Server, 'hasTerminal' | 'terminalSize' | 'type'>
  readonly username: string | undefined
  readonly onSize: (size: TerminalSize) => void
}

/** The terminal access of one viewer. */
export class ViewerTerminal {
  readonly #options: Options
  #unsubscribe: (() => void) | undefined
  #hasTyped = false

  constructor(options: Options) {
    this.#options = options
  }

  /** Sends the size now and whenever it changes. Throws ErrNoTerminal for a server on pipes. */
  open(): void {
    if (!this.#options.server.hasTerminal) throw new Refusal('ErrNoTerminal')
    const { terminalSize } = this.#options.server
    this.#unsubscribe ??= terminalSize.onChange(this.#options.onSize)
    this.#options.onSize(terminalSize.current)
  }

  close(): void {
    this.#unsubscribe?.()
    this.#unsubscribe = undefined
    this.#options.server.terminalSize.remove(this)
  }

  resize(size: TerminalSize): void {
    this.#options.server.terminalSize.set(this, size)
  }

  /** The first keystrokes of a viewer are recorded on the console with the username. */
  type(data: string): void {
    this.#options.server.type(data, this.#hasTyped ? undefined : this.#options.username)
    this.#hasTyped = true
  }
}
