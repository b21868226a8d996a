import { pino } from 'pino'

const levels: Readonly<Record<number, string>> = {
  10: 'trace',
  20: 'debug',
  30: 'info',
  40: 'warn',
  50: 'error',
  60: 'fatal',
}

/** Fields that must never be logged. */
const secrets = ['password', 'token', 'session', 'secret', 'authorization', 'cookie', 'code']

/** The log: JSON lines, or plain lines on a terminal; on stdout, or where errors are written. */
export function openLog(level: string, isTerminal: boolean, to: 'output' | 'errors' = 'output'): pino.Logger {
  const paths = secrets.flatMap((key) => [key, `*.${key}`, `*.*.${key}`])
  const options = { level, base: null, redact: { paths, censor: '…' } }
  const stream = to === 'output' ? process.stdout : process.stderr
  if (isTerminal) return pino(options, { write: (line) => stream.write(plain(line)) })
  return to === 'output' ? pino(options) : pino(options, stream)
}

function plain(line: string): string {
  const { time, level, msg, err, ...rest } = JSON.parse(line) as Record<string, unknown> & { err?: { stack?: string } }
  const clock = new Date(Number(time)).toTimeString().slice(0, 8)
  const details = Object.keys(rest).length > 0 ? ` ${JSON.stringify(rest)}` : ''
  const stack = err?.stack ? `\n${err.stack}` : ''
  return `${clock} ${(levels[Number(level)] ?? '').padEnd(5)} ${printable(String(msg ?? ''))}${details}${printable(stack)}\n`
}

/** Removes control characters, so that text of users and programs cannot control the terminal. */
function printable(text: string): string {
  return text.replace(/[\x00-\x08\x0b-\x1f\x7f-\x9f]/g, '?')
}
