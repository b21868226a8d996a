import { defaultTerminalSize, type TerminalSize } from '@innkeeper/contract/servers/live'

/** Minimum interval between changes of a terminal's size. */
const resizeIntervalMs = 100

/**
 * Shares one terminal size among the viewers of a server: the size set last by a connected viewer, or the default.
 * Changes are applied at most once per `intervalMs`.
 */
export class SharedTerminalSize {
  readonly #apply: (size: TerminalSize) => void
  readonly #intervalMs: number
  /** By viewer, in the order of the last change. */
  readonly #sizes = new Map<object, TerminalSize>()
  readonly #listeners = new Set<(size: TerminalSize) => void>()
  #current = defaultTerminalSize
  #timer: NodeJS.Timeout | undefined

  constructor(apply: (size: TerminalSize) => void, intervalMs: number = resizeIntervalMs) {
    this.#apply = apply
    this.#intervalMs = intervalMs
  }

  get current(): TerminalSize {
    return this.#current
  }

  set(viewer: object, size: TerminalSize): void {
    // Deleted first, so that it becomes the last entry.
    this.#sizes.delete(viewer)
    this.#sizes.set(viewer, size)
    this.#update()
  }

  remove(viewer: object): void {
    if (this.#sizes.delete(viewer)) this.#update()
  }

  onChange(listener: (size: TerminalSize) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Cancels a pending change. */
  close(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#sizes.clear()
  }

  #update(): void {
    if (this.#timer) return
    const size = [...this.#sizes.values()].at(-1) ?? defaultTerminalSize
    if (size.cols === this.#current.cols && size.rows === this.#current.rows) return
    this.#current = size
    this.#timer = setTimeout(() => {
      this.#timer = undefined
      this.#update()
    }, this.#intervalMs)
    this.#apply(size)
    for (const listener of this.#listeners) listener(size)
  }
}
