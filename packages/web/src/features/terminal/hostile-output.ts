import type { IParser, Terminal } from '@xterm/xterm'

/** Requests that a terminal answers as if the user had typed: kind of device, position of the cursor, modes, settings. */
const queries = [
  { final: 'c' },
  { prefix: '>', final: 'c' },
  { prefix: '=', final: 'c' },
  { final: 'n' },
  { prefix: '?', final: 'n' },
  { prefix: '>', final: 'q' },
  { intermediates: '$', final: 'p' },
  { prefix: '?', intermediates: '$', final: 'p' },
  { final: 't' },
  { final: 'x' },
]

/** Settings, such as those of the cursor and colors, that a terminal reports as if the user had typed them. */
const settingQueries = [
  { intermediates: '$', final: 'q' },
  { intermediates: '+', final: 'q' },
]

/** Titles, colors (which can also be queried), links and the clipboard. */
const commands = [0, 1, 2, 4, 8, 10, 11, 12, 52, 104, 110, 111, 112]

/** Sequences that do something as often as their parameter says, at most once for each row or column. */
const repeatingRows = ['L', 'M', 'S', 'T']
const repeatingColumns = ['I', 'Z', 'b']

/** Reports of the focus begin as soon as they are switched on. */
const focusReports = 1004

/**
 * Makes the terminal ignore what output must not do: answer queries, which would reach the server as
 * keystrokes of the viewer, make links, change the colors of the theme, or keep the browser busy.
 */
export function ignoreHarmfulOutput(terminal: Pick<Terminal, 'parser' | 'rows' | 'cols'>): void {
  const { parser } = terminal
  for (const query of queries) parser.registerCsiHandler(query, () => true)
  for (const query of settingQueries) parser.registerDcsHandler(query, () => true)
  for (const command of commands) parser.registerOscHandler(command, () => true)
  for (const final of repeatingRows) ignoreIf(parser, { final }, (parameter) => parameter > terminal.rows)
  for (const final of repeatingColumns) ignoreIf(parser, { final }, (parameter) => parameter > terminal.cols)
  ignoreIf(parser, { prefix: '?', final: 'h' }, (parameter) => parameter === focusReports)
}

type ControlSequence = Parameters<IParser['registerCsiHandler']>[0]

function ignoreIf(parser: IParser, sequence: ControlSequence, isHarmful: (parameter: number) => boolean): void {
  parser.registerCsiHandler(sequence, (parameters) => parameters.flat().some(isHarmful))
}
