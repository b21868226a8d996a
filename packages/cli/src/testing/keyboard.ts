import { spawn as spawnPty } from '@lydell/node-pty'

/** A program in a pseudo-terminal with simulated input. */
export class Keyboard {
  readonly ended: Promise<number>
  #output = ''
  readonly #terminal: ReturnType<typeof spawnPty>
  #look: () => void = () => {}

  constructor(file: string, args: readonly string[], env: Readonly<Record<string, string>>) {
    this.#terminal = spawnPty(file, [...args], { cols: 120, rows: 40, env: { ...env } })
    this.#terminal.onData((part) => {
      this.#output += part
      this.#look()
    })
    this.ended = new Promise((resolve) => {
      this.#terminal.onExit(({ exitCode }) => resolve(exitCode))
    })
  }

  /** All output of the terminal. */
  get seen(): string {
    return this.#output
  }

  /** Waits until the terminal shows a text, and types the response. */
  async answer(prompt: string, input: string): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#look = () => {
        if (this.#output.includes(prompt)) resolve()
      }
      this.#look()
    })
    this.#terminal.write(input)
  }
}
