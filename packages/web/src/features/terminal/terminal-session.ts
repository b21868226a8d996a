import { defaultTerminalSize, type TerminalSize } from '@innkeeper/contract/servers/live'
import { limits } from '@innkeeper/contract/text/limits'
import { FitAddon } from '@xterm/addon-fit'
import { type ITheme, Terminal } from '@xterm/xterm'
import '@xterm/xterm/css/xterm.css'
import type { RawOutput } from '../../realtime/raw-output.ts'
import type { OpenTerminal, ServerConnection } from '../../realtime/server-connection.ts'
import { ignoreHarmfulOutput } from './hostile-output.ts'
import { InputQueue } from './input-queue.ts'
import { TerminalWriter } from './terminal-writer.ts'

/** How long the element must have kept its size before the server's terminal gets it. */
const resizeDelayMs = 150
/** Lines above the screen. */
const scrollback = 1_000

export interface TerminalSizes {
  /** That of the server's terminal. */
  readonly server: TerminalSize
  /** The one that fits into the element. */
  readonly fitting: TerminalSize
}

export interface TerminalSettings {
  readonly fontSize: number
  readonly theme: ITheme
  readonly screenReader: boolean
  /** Whether this viewer may type and set the size. */
  readonly isWritable: boolean
}

/** A key that phones do not have. */
export type SpecialKey = 'escape' | 'tab' | 'interrupt' | 'up' | 'down' | 'left' | 'right'

const cursorKeys: Partial<Record<SpecialKey, string>> = { up: 'A', down: 'B', right: 'C', left: 'D' }
const otherKeys: Partial<Record<SpecialKey, string>> = { escape: '\x1b', tab: '\t', interrupt: '\x03' }

interface Options {
  readonly host: HTMLElement
  readonly label: string
  readonly output: RawOutput
  readonly connection: Pick<ServerConnection, 'openTerminal'>
  readonly onSizes: (sizes: TerminalSizes) => void
  /** The user asks to leave with the keyboard. */
  readonly onLeave: () => void
  readonly onCopy: (text: string) => void
  readonly onPasteTooLong: () => void
}

/**
 * The terminal of a server in an element of the page. It shows the output at the size of the server's terminal, sends what
 * is typed, and sets the size when that of the element changes. Owns the terminal, its listeners and timers.
 */
export class TerminalSession {
  readonly #terminal: Terminal
  readonly #fit = new FitAddon()
  readonly #options: Options
  readonly #link: OpenTerminal
  readonly #writer: TerminalWriter
  readonly #input: InputQueue
  readonly #observer: ResizeObserver
  #resizeTimer: ReturnType<typeof setTimeout> | undefined
  #isWritable = false
  /** Unknown until the node responds. */
  #serverSize: TerminalSize | undefined
  #isClosed = false

  constructor(options: Options) {
    this.#options = options
    this.#terminal = new Terminal({
      ...defaultTerminalSize,
      scrollback,
      // Alt+click would type cursor keys into the server.
      altClickMovesCursor: false,
      cursorBlink: false,
      minimumContrastRatio: 4.5,
      allowProposedApi: false,
      disableStdin: true,
      logLevel: 'off',
    })
    ignoreHarmfulOutput(this.#terminal)
    this.#terminal.loadAddon(this.#fit)
    this.#terminal.attachCustomKeyEventHandler((event) => this.#onKey(event))
    this.#terminal.open(options.host)
    this.#terminal.textarea?.setAttribute('aria-label', options.label)
    this.#writer = new TerminalWriter(this.#terminal, options.output)
    this.#link = options.connection.openTerminal((size) => this.#onServerSize(size))
    this.#input = new InputQueue({ send: (data) => this.#link.type(data), onOverflow: options.onPasteTooLong })
    this.#terminal.onData((data) => this.#input.add(data))
    this.#observer = new ResizeObserver(() => this.#scheduleResize())
    this.#observer.observe(options.host)
    void this.#loadFont(getComputedStyle(options.host).fontFamily)
  }

  configure({ fontSize, theme, screenReader, isWritable }: TerminalSettings): void {
    const { options } = this.#terminal
    options.theme = theme
    options.screenReaderMode = screenReader
    options.disableStdin = !isWritable
    const becomesWritable = isWritable && !this.#isWritable
    this.#isWritable = isWritable
    if (!isWritable) this.#input.clear()
    const hasOtherSize = options.fontSize !== fontSize
    options.fontSize = fontSize
    if (hasOtherSize || becomesWritable) this.#scheduleResize()
  }

  /** Shows the output although the size of the server's terminal is unknown. */
  showOutput(): void {
    this.#writer.start()
  }

  /** Makes the size that fits into the element that of the server's terminal. */
  setSize(): void {
    const fitting = this.#measure()
    if (fitting && this.#isWritable && this.#serverSize) this.#link.resize(fitting)
  }

  focus(): void {
    this.#terminal.focus()
  }

  /** The selected text, or else the screen. */
  getText(): string {
    if (this.#terminal.hasSelection()) return this.#terminal.getSelection()
    const { active } = this.#terminal.buffer
    const lines = Array.from({ length: this.#terminal.rows }, (_, row) =>
      active.getLine(active.viewportY + row)?.translateToString(true),
    )
    return lines.join('\n').trimEnd()
  }

  press(key: SpecialKey): void {
    const cursorKey = cursorKeys[key]
    const start = this.#terminal.modes.applicationCursorKeysMode ? '\x1bO' : '\x1b['
    this.#terminal.input(cursorKey ? start + cursorKey : (otherKeys[key] ?? ''))
    this.#terminal.focus()
  }

  paste(text: string): void {
    this.#terminal.paste(text)
    this.#terminal.focus()
  }

  close(): void {
    this.#isClosed = true
    clearTimeout(this.#resizeTimer)
    this.#observer.disconnect()
    this.#input.clear()
    this.#writer.close()
    this.#link.close()
    this.#terminal.dispose()
  }

  /** The terminal measures its font when it gets it: the file must be there by then. */
  async #loadFont(family: string): Promise<void> {
    await document.fonts.load(`16px ${family}`).catch(() => undefined)
    if (this.#isClosed) return
    this.#terminal.options.fontFamily = family
    this.#scheduleResize()
  }

  #onServerSize(size: TerminalSize): void {
    const isFirst = this.#serverSize === undefined
    this.#serverSize = size
    this.#terminal.resize(size.cols, size.rows)
    const fitting = this.#measure()
    if (!isFirst) return
    this.#writer.start()
    if (!this.#isWritable || !fitting) return
    // A program draws its screen again only when the size changes.
    if (isSameSize(fitting, size))
      this.#link.resize({ ...size, rows: size.rows > limits.terminalRowsMin ? size.rows - 1 : size.rows + 1 })
    this.#scheduleResize()
  }

  #scheduleResize(): void {
    clearTimeout(this.#resizeTimer)
    this.#resizeTimer = setTimeout(() => this.setSize(), resizeDelayMs)
  }

  #measure(): TerminalSize | undefined {
    const proposed = this.#fit.proposeDimensions()
    if (!proposed || !Number.isFinite(proposed.cols) || !Number.isFinite(proposed.rows)) return undefined
    const fitting = {
      cols: clamp(proposed.cols, limits.terminalColsMin, limits.terminalColsMax),
      rows: clamp(proposed.rows, limits.terminalRowsMin, limits.terminalRowsMax),
    }
    if (this.#serverSize) this.#options.onSizes({ server: this.#serverSize, fitting })
    return fitting
  }

  /** Whether the terminal handles a key; the page handles the others. */
  #onKey(event: KeyboardEvent): boolean {
    const isDown = event.type === 'keydown'
    const key = event.key.toLowerCase()
    const isCopy =
      (event.ctrlKey && event.shiftKey && !event.altKey && key === 'c') || (event.ctrlKey && key === 'insert')
    if (isCopy) {
      event.preventDefault()
      if (isDown && this.#terminal.hasSelection()) this.#options.onCopy(this.#terminal.getSelection())
      return false
    }
    // Ctrl+M is another Enter on terminals, so programs do not miss it.
    if (event.ctrlKey && !event.shiftKey && !event.altKey && key === 'm') {
      event.preventDefault()
      if (isDown) this.#options.onLeave()
      return false
    }
    // Without typing, Tab and the shortcuts are those of the page.
    return this.#isWritable
  }
}

function isSameSize(a: TerminalSize, b: TerminalSize): boolean {
  return a.cols === b.cols && a.rows === b.rows
}

const clamp = (value: number, min: number, max: number): number => Math.min(Math.max(value, min), max)
