import { daemonPrefix } from '@innkeeper/contract/live'
import { textOf } from './ansi.ts'
import type { Lines } from './buffer.ts'

/** Lines as plain text, without colours, as a file or clipboard holds them. */
export function plainTextOf(lines: Lines, from = lines.first, end = lines.end): string {
  let text = ''
  for (let number = from; number < end; number++) {
    const line = lines.at(number)
    if (!line) continue
    const prefix = { daemon: daemonPrefix, command: '> ', gap: '…', output: '' }[line.kind]
    text += `${prefix}${textOf(line.text)}\n`
  }
  return text
}

/** A name for a saved log: `lobby-2026-11-20-2014.log`. */
export function logNameOf(server: string, time: Date): string {
  const two = (part: number) => String(part).padStart(2, '0')
  const day = `${time.getFullYear()}-${two(time.getMonth() + 1)}-${two(time.getDate())}`
  return `${server.replace(/[^\w.-]+/g, '-')}-${day}-${two(time.getHours())}${two(time.getMinutes())}.log`
}
