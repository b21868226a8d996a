import { formatCommandRecord } from '@innkeeper/contract/definitions/console-commands'
import { daemonPrefix } from '@innkeeper/contract/servers/live'
import { twoDigits } from '../../i18n/formatters.ts'
import { stripAnsi } from './ansi.ts'
import type { Line, Lines } from './buffer.ts'

interface TextOptions {
  readonly from?: number
  readonly end?: number
  /** Formats epoch milliseconds. When set, each line is prefixed with its time. */
  readonly formatTime?: ((time: number) => string) | undefined
}

/** Returns lines as plain text without colors, for a file or the clipboard. */
export function toPlainText(
  lines: Lines,
  { from = lines.first, end = lines.end, formatTime }: TextOptions = {},
): string {
  let text = ''
  for (let number = from; number < end; number++) {
    const line = lines.at(number)
    if (!line) continue
    const time = formatTime && line.time !== undefined ? `[${formatTime(line.time * 1000)}] ` : ''
    text += `${time}${lineToPlainText(line)}\n`
  }
  return text
}

function lineToPlainText(line: Line): string {
  const text = stripAnsi(line.text)
  switch (line.type) {
    case 'daemon':
      return `${daemonPrefix}${text}`
    case 'command':
      return `${daemonPrefix}${formatCommandRecord(line.author, text)}`
    case 'gap':
      return `…${text}`
    case 'output':
      return text
  }
}

/** Returns a file name such as `lobby-2026-11-20-2014.log`. */
export function getLogFileName(server: string, time: Date): string {
  const day = `${time.getFullYear()}-${twoDigits(time.getMonth() + 1)}-${twoDigits(time.getDate())}`
  return `${server.replace(/[^\w.-]+/g, '-')}-${day}-${twoDigits(time.getHours())}${twoDigits(time.getMinutes())}.log`
}
