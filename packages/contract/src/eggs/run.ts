import { z } from 'zod/mini'
import { patternProblem } from '../pattern.ts'
import type { Egg } from './egg.ts'

const Startup = z.looseObject({ done: z.nullish(z.union([z.string(), z.array(z.string())])) })

export function startupOf({ startup, startup_commands }: Egg): string {
  return (startup || Object.values(startup_commands ?? {})[0]) ?? ''
}

const signals: Readonly<Record<string, number>> = { C: 2, INT: 2, TERM: 15, ABRT: 6, KILL: 9, QUIT: 3, HUP: 1 }

/** A leading `^` means a signal; without anything, the container is stopped as Docker does. */
export function stopOf(text: string, drop: (where: string) => void) {
  const stop = text.trim()
  if (stop === '') return { stopCode: 15 }
  if (!stop.startsWith('^')) return { stop }
  const name = stop.slice(1).toUpperCase().replace(/^\^/, '').replace(/^SIG/, '')
  const code = Object.hasOwn(signals, name) ? signals[name] : undefined
  if (code === undefined) drop('config.stop')
  return { stopCode: code ?? 15 }
}

export function readyOf({ config }: Egg, drop: (where: string) => void) {
  const done = Startup.safeParse(config?.startup).data?.done ?? []
  const texts = (typeof done === 'string' ? [done] : done).filter((text) => text !== '')
  const patterns = texts.map((text) => (text.startsWith('regex:') ? text.slice('regex:'.length) : literal(text)))
  if (patterns.length === 0) return {}
  const readyPattern =
    patterns.length === 1 ? (patterns[0] ?? '') : patterns.map((pattern) => `(?:${pattern})`).join('|')
  if (patternProblem(readyPattern) === undefined) return { readyPattern }
  drop('config.startup.done')
  return {}
}

/** A pattern that matches a text as it is. */
const literal = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')
