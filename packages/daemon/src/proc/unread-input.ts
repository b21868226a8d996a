import { closeSync, constants, fstatSync, openSync, readlinkSync, readSync } from 'node:fs'
import { getCode } from '../errors/error-code.ts'
import { isProcessGone } from './process-stat.ts'

const maxBytes = 65_536
/** Major device numbers of pseudo-terminals. */
const terminals = { first: 136, last: 143 } as const

/**
 * Takes what a process has not read from its terminal, or from its input pipe whose path ends in `pipeName`. Returns ''
 * when it has read everything, and undefined when that cannot be determined. What is taken is lost to the process.
 */
export function takeUnreadInput(pid: number, pipeName?: string): string | undefined {
  const path = `/proc/${pid}/fd/0`
  let fd: number | undefined
  try {
    if (!isOwnInput(path, pipeName)) return undefined
    fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY)
    const { mode, rdev } = fstatSync(fd)
    const major = (rdev >> 8) & 0xfff
    const isTerminal =
      (mode & constants.S_IFMT) === constants.S_IFCHR && major >= terminals.first && major <= terminals.last
    if (!isTerminal && (mode & constants.S_IFMT) !== constants.S_IFIFO) return undefined
    const buffer = Buffer.allocUnsafe(maxBytes)
    return buffer.toString('utf8', 0, readSync(fd, buffer, 0, maxBytes, null))
  } catch (error) {
    if (getCode(error) === 'EAGAIN') return ''
    if (isProcessGone(error) || ['EACCES', 'EPERM', 'ENXIO', 'EIO'].includes(getCode(error))) return undefined
    throw error
  } finally {
    if (fd !== undefined) closeSync(fd)
  }
}

/** A process may have replaced its input with another file, which must not be opened. */
function isOwnInput(path: string, pipeName: string | undefined): boolean {
  const target = readlinkSync(path)
  if (pipeName !== undefined && target.replace(/ \(deleted\)$/, '').endsWith(pipeName)) return true
  return /^(?:\/dev\/pts)?\/\d+$/.test(target)
}
