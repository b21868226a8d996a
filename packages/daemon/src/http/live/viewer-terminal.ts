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
  readonly #server: Options['server']
  readonly #username: string | undefined
  readonly #onSize: (size: TerminalSize) => void
  #unsubscribe: (() => void) | undefined
  #hasTyped = false

  constructor({ server, username, onSize }: Options) {
    this.#server = server
    this.#username = username
    this.#onSize = onSize
  }

  /** Sends the size now and whenever it changes. Throws ErrNoTerminal for a server on pipes. */
  open(): void {
    if (!this.#server.hasTerminal) throw new Refusal('ErrNoTerminal')
    const { terminalSize } = this.#server
    this.#unsubscribe ??= terminalSize.onChange(this.#onSize)
    this.#onSize(terminalSize.current)
  }

  close(): void {
    this.#unsubscribe?.()
    this.#unsubscribe = undefined
    this.#server.terminalSize.remove(this)
  }

  resize(size: TerminalSize): void {
    this.#server.terminalSize.set(this, size)
  }

  /** The first keystrokes of a viewer are recorded on the console with the username. */
  type(data: string): void {
    this.#server.type(data, this.#hasTyped ? undefined : this.#username)
    this.#hasTyped = true
  }
}
