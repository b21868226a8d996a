import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { isProcessGone } from './process-stat.ts'

/** What a signal does to a process that has no handler for it differs from what it does to one that has. */
export type Disposition = 'default' | 'handled' | 'ignored'

/** What a process does on a signal. `handled` includes a signal that it blocks to wait for it. */
export function getDisposition(pid: number, signal: number): Disposition {
  const status = read(`/proc/${pid}/status`) ?? ''
  const has = (field: string) => {
    const mask = status.match(new RegExp(`^${field}:\\s+([0-9a-f]+)$`, 'm'))?.[1] ?? '0'
    return ((BigInt(`0x${mask}`) >> BigInt(signal - 1)) & 1n) === 1n
  }
  if (has('SigIgn')) return 'ignored'
  return has('SigCgt') || has('SigBlk') ? 'handled' : 'default'
}

/** Its name as `ps` shows it, printable and at most 15 bytes: never its arguments, which may contain secrets. */
export function getProgramName(pid: number): string {
  const name = (read(`/proc/${pid}/comm`) ?? '').trim().replace(/[^\x20-\x7e]/g, '?')
  return name === '' ? String(pid) : name
}

/** Its arguments, to recognize a program that is started again. */
export function getCommandLine(pid: number): string {
  return read(`/proc/${pid}/cmdline`) ?? ''
}

/** The pipe that a descriptor is an end of, for example `pipe:[4711]`; undefined for everything else. */
export function findPipe(pid: number, fd: 0 | 1 | 2): string | undefined {
  const target = getTarget(`/proc/${pid}/fd/${fd}`)
  return target.startsWith('pipe:') ? target : undefined
}

/** Whether it holds a pseudo-terminal for other processes, like `screen` and `script`. */
export function holdsTerminal(pid: number): boolean {
  try {
    return readdirSync(`/proc/${pid}/fd`).some((fd) =>
      /^\/dev\/(?:pts\/)?ptmx$/.test(getTarget(`/proc/${pid}/fd/${fd}`)),
    )
  } catch (error) {
    if (isUnreadable(error)) return false
    throw error
  }
}

/** Empty when the descriptor is closed already. */
function getTarget(path: string): string {
  try {
    return readlinkSync(path)
  } catch (error) {
    if (isUnreadable(error)) return ''
    throw error
  }
}

function read(path: string): string | undefined {
  try {
    return readFileSync(path, 'latin1')
  } catch (error) {
    if (isUnreadable(error)) return undefined
    throw error
  }
}

/** Whether an error means that a file of a process is of another user, or that it has exited. */
export function isUnreadable(error: unknown): boolean {
  const isForbidden = error instanceof Error && 'code' in error && (error.code === 'EACCES' || error.code === 'EPERM')
  return isForbidden || isProcessGone(error)
}
