import { formatCommandRecord } from '@innkeeper/contract/console-commands'
import { daemonPrefix } from '@innkeeper/contract/live'
import { textOf } from './ansi.ts'
import type { Line, Lines } from './buffer.ts'

interface TextOptions {
  readonly from?: number
  readonly end?: number
  /** Writes the time of each line before it; without it lines have none. */
  readonly timeOf?: ((time: number) => string) | undefined
}

/** Lines as plain text, without colours, as a file or clipboard holds them. */
export function plainTextOf(lines: Lines, { from = lines.first, end = lines.end, timeOf }: TextOptions = {}): string {
  let text = ''
  for (let number = from; number < end; number++) {
    const line = lines.at(number)
    if (!line) continue
    const time = timeOf && line.time !== undefined ? `[${timeOf(line.time * 1000)}] ` : ''
    text += `${time}${plainTextOfLine(line)}\n`
  }
  return text
}

function plainTextOfLine(line: Line): string {
  const text = textOf(line.text)
  switch (line.kind) {
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

/** A name for a saved log: `lobby-2026-11-20-2014.log`. */
export function logNameOf(server: string, time: Date): string {
  const two = (part: number) => String(part).padStart(2, '0')
  const day = `${time.getFullYear()}-${two(time.getMonth() + 1)}-${two(time.getDate())}`
  return `${server.replace(/[^\w.-]+/g, '-')}-${day}-${two(time.getHours())}${two(time.getMinutes())}.log`
}
