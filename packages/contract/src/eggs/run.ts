import { z } from 'zod/mini'
import type { ConversionNote } from '../templates/template-conversion.ts'
import { patternProblem } from '../text/pattern.ts'
import type { Egg } from './egg.ts'
import { withoutCarriageReturns } from './placeholders.ts'

const Startup = z.looseObject({ done: z.nullish(z.union([z.string(), z.array(z.string())])) })

/** A start command of an egg with its name; the name of a single one may be empty. */
export interface StartCommand {
  readonly name: string
  readonly command: string
}

/** The start commands as in the egg: the entry point of the image fills in the variables, and runs them in a shell. */
export function getStartCommands({ startup, startup_commands }: Egg): StartCommand[] {
  const list = startup ? { '': startup } : (startup_commands ?? {})
  return Object.entries(list)
    .map(([name, command]) => ({ name, command: withoutCarriageReturns(command).trim() }))
    .filter(({ command }) => command !== '')
}

/** The variable that selects one of several start commands. */
export const startVariable = (commands: readonly StartCommand[]) => ({
  type: 'option',
  display: 'Start command',
  value: commands[0]?.name ?? '',
  required: true,
  userEdit: true,
  options: commands.map(({ name }) => ({ value: name, display: name })),
})

/** `run.command`: the only command, or each with the condition that the variable selects it. */
export function getCommand([first, ...others]: readonly StartCommand[], variable: string) {
  if (others.length === 0) return first?.command ?? ''
  const chosen = others.map(({ name, command }) => ({ if: `${variable} == ${JSON.stringify(name)}`, command }))
  return [...chosen, { command: first?.command ?? '' }]
}

/** Signals by name, with their number on Linux. */
const signals: Readonly<Record<string, number>> = {
  C: 2,
  '\\': 3,
  HUP: 1,
  INT: 2,
  QUIT: 3,
  ABRT: 6,
  KILL: 9,
  USR1: 10,
  USR2: 12,
  TERM: 15,
  PWR: 30,
}

/** A leading `^` means a signal; one that does not exist, and nothing at all, ends the program with SIGTERM. */
export function parseStop(text: string) {
  const stop = text.trim()
  if (stop !== '' && !stop.startsWith('^')) return { stop }
  const name = stop.toUpperCase().replace(/^\^+/, '').replace(/^SIG/, '')
  const number = /^\d{1,2}$/.test(name) ? Number(name) : 0
  if (number >= 1 && number <= 31) return { stopCode: number }
  return { stopCode: (Object.hasOwn(signals, name) && signals[name]) || 15 }
}

export function getReady({ config }: Egg, note: (note: ConversionNote) => void) {
  const done = Startup.safeParse(config?.startup).data?.done ?? []
  const texts = (typeof done === 'string' ? [done] : done).filter((text) => text !== '')
  const patterns = texts.map((text) => (text.startsWith('regex:') ? text.slice('regex:'.length) : literal(text)))
  if (patterns.length === 0) return {}
  const readyPattern =
    patterns.length === 1 ? (patterns[0] ?? '') : patterns.map((pattern) => `(?:${pattern})`).join('|')
  if (patternProblem(readyPattern) === undefined) return { readyPattern }
  note({ kind: 'ready' })
  return {}
}

/** A pattern that matches a text as it is. */
const literal = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')
