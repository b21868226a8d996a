import type { ITheme } from '@xterm/xterm'

type Rgb = readonly [red: number, green: number, blue: number]

interface Palette {
  readonly background: Rgb
  readonly text: Rgb
  /** The 16 ANSI colors: black, red, green, yellow, blue, magenta, cyan, white, and the bright ones. */
  readonly colors: readonly Rgb[]
}

/** The colors of the console as those of a terminal. */
export function toTerminalTheme({ background, text, colors }: Palette): ITheme {
  const color = (index: number) => toCss(colors[index] ?? text)
  return {
    background: toCss(background),
    foreground: toCss(text),
    cursor: toCss(text),
    cursorAccent: toCss(background),
    selectionBackground: `rgba(${text.join(', ')}, 0.3)`,
    black: color(0),
    red: color(1),
    green: color(2),
    yellow: color(3),
    blue: color(4),
    magenta: color(5),
    cyan: color(6),
    white: color(7),
    brightBlack: color(8),
    brightRed: color(9),
    brightGreen: color(10),
    brightYellow: color(11),
    brightBlue: color(12),
    brightMagenta: color(13),
    brightCyan: color(14),
    brightWhite: color(15),
  }
}

const toCss = (color: Rgb): string => `rgb(${color.join(', ')})`
