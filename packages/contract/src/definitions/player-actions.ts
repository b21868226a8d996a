import { z } from 'zod/mini'
import type { ServerPermission } from '../api/permissions.ts'
import { patternProblem } from '../text/pattern.ts'
import type { Definition } from './definition.ts'

/** What a user can do to players, and the permission for it. */
export const permissionOfPlayerAction = {
  kick: 'kickPlayers',
  ban: 'banPlayers',
  unban: 'unbanPlayers',
  op: 'opPlayers',
  deop: 'opPlayers',
  whitelist: 'whitelistPlayers',
  unwhitelist: 'whitelistPlayers',
  message: 'messagePlayers',
  broadcast: 'messagePlayers',
} as const satisfies Readonly<Record<string, ServerPermission>>
export type PlayerActionType = keyof typeof permissionOfPlayerAction
export const playerActionTypes = Object.keys(permissionOfPlayerAction) as PlayerActionType[]

export const playerArgumentNames = ['player', 'reason', 'message'] as const
export type PlayerArgumentName = (typeof playerArgumentNames)[number]

/** The arguments of each action; a reason is optional. */
export const argumentsOfType: Readonly<Record<PlayerActionType, readonly PlayerArgumentName[]>> = {
  kick: ['player', 'reason'],
  ban: ['player', 'reason'],
  unban: ['player'],
  op: ['player'],
  deop: ['player'],
  whitelist: ['player'],
  unwhitelist: ['player'],
  message: ['player', 'message'],
  broadcast: ['message'],
}
const isRequired = (name: PlayerArgumentName) => name !== 'reason'

export const maxPlayerArgumentChars = 200

/** Characters that a console may interpret in text outside quotes. */
const consoleCharacters = ';"\\$`'

const Argument = z.looseObject({
  type: z.optional(z.enum(['name', 'text'])),
  maxLength: z.optional(z.int().check(z.minimum(1), z.maximum(maxPlayerArgumentChars))),
  /** A pattern (`pattern.ts`), which must match somewhere. */
  pattern: z.optional(z.string().check(z.refine((text) => patternProblem(text) === undefined))),
  forbiddenCharacters: z.optional(z.string().check(z.maxLength(100))),
  /** Values that the game takes for something else than a player, in any case: `all`. */
  except: z.optional(z.array(z.string().check(z.maxLength(100))).check(z.maxLength(20))),
})

const Action = z.looseObject({
  type: z.enum(playerActionTypes),
  /** The line for the console, with `{player}`, `{reason}` and `{message}`. */
  command: z.string().check(z.minLength(1), z.maxLength(200)),
  arguments: z.optional(z.partialRecord(z.enum(playerArgumentNames), Argument)),
})
type Action = z.infer<typeof Action>

const Players = z.looseObject({ actions: z.optional(z.array(z.unknown()).check(z.maxLength(20))) })

/** A command of the game's console with arguments of a user. */
export interface PlayerAction {
  readonly type: PlayerActionType
  readonly command: string
  readonly arguments: readonly PlayerArgument[]
}

export interface PlayerArgument {
  readonly name: PlayerArgumentName
  /** Outside quotes, a name is one word, and a text is the rest of the line. */
  readonly type: 'name' | 'text'
  /** Whether the command has it in double quotes. */
  readonly isQuoted: boolean
  readonly isRequired: boolean
  readonly maxLength: number
  readonly pattern: string | undefined
  readonly forbiddenCharacters: string
  readonly except: readonly string[]
}

/** The actions of a definition, at most one of each type; invalid ones are left out. */
export function getPlayerActions(definition: Pick<Definition, 'players'>): readonly PlayerAction[] {
  return readActions(definition).flatMap(({ action }) => action ?? [])
}

/** The first invalid field of each action, as its path in the definition. */
export function invalidPlayerFields(definition: Pick<Definition, 'players'>): readonly string[] {
  return readActions(definition).flatMap(({ invalid }) => (invalid === undefined ? [] : [invalid]))
}

type ReadAction =
  | { readonly action: PlayerAction; readonly invalid?: undefined }
  | { readonly action?: undefined; readonly invalid: string }

function readActions({ players }: Pick<Definition, 'players'>): readonly ReadAction[] {
  if (players === undefined || players === null) return []
  const { data, error } = Players.safeParse(players)
  if (error) return [{ invalid: getPath('players', error) }]
  const types = new Set<PlayerActionType>()
  return (data.actions ?? []).map((raw, at): ReadAction => {
    const path = `players.actions.${at}`
    const { data: action, error: actionError } = Action.safeParse(raw)
    if (actionError) return { invalid: getPath(path, actionError) }
    if (types.has(action.type)) return { invalid: `${path}.type` }
    types.add(action.type)
    const invalid = findInvalidField(action)
    return invalid === undefined ? { action: toPlayerAction(action) } : { invalid: `${path}.${invalid}` }
  })
}

const getPath = (path: string, { issues }: z.core.$ZodError) => [path, ...(issues[0]?.path ?? [])].map(String).join('.')

/** `{name}` in a command. */
export const placeholders = /\{(\w+)\}/g

interface Placeholder {
  readonly name: string
  readonly isQuoted: boolean
  /** The command before and after it. */
  readonly before: string
  readonly after: string
}

function getPlaceholders(command: string): readonly Placeholder[] {
  return [...command.matchAll(placeholders)].map((match) => {
    const before = command.slice(0, match.index)
    const isQuoted = before.split('"').length % 2 === 0
    return { name: match[1] ?? '', isQuoted, before, after: command.slice(match.index + match[0].length) }
  })
}

function findInvalidField(action: Action): string | undefined {
  const { type, command } = action
  const expected = argumentsOfType[type]
  const found = getPlaceholders(command)
  const names = found.map(({ name }) => name)
  const isComplete = expected.every((name) => names.includes(name) || !isRequired(name))
  const isKnown = names.every((name, at) => expected.some((other) => other === name) && names.indexOf(name) === at)
  if (!isComplete || !isKnown || !isSafeCommand(command)) return 'command'
  if (!found.every((placeholder) => isSafePlace(action, placeholder))) return 'command'
  const unused = Object.keys(action.arguments ?? {}).find((name) => !names.includes(name))
  return unused === undefined ? undefined : `arguments.${unused}`
}

/** Quotes must have a counterpart. Variables are not filled in, because their values may be secrets. */
function isSafeCommand(command: string): boolean {
  return !/[\p{Cc}\p{Zl}\p{Zp}\\]|\$\{/u.test(command) && command.split('"').length % 2 === 1
}

/** An argument is neither the command itself nor a part of another one, and text outside quotes ends the line. */
function isSafePlace(action: Action, { name, isQuoted, before, after }: Placeholder): boolean {
  if (isQuoted) return /^[^\s"]/.test(before)
  return /^[^\s"]+\s.*[^}"]$|^[^\s"]+\s$/.test(before) && (getType(action, name) === 'name' || after === '')
}

const getType = (action: Action, name: string) =>
  action.arguments?.[name as PlayerArgumentName]?.type ?? (name === 'player' ? 'name' : 'text')

function toPlayerAction(action: Action): PlayerAction {
  const { type, command } = action
  const found = getPlaceholders(command)
  const args = argumentsOfType[type].flatMap((name) => {
    const placeholder = found.find((one) => one.name === name)
    return placeholder ? [toArgument(action, name, placeholder)] : []
  })
  return { type, command, arguments: args }
}

function toArgument(action: Action, name: PlayerArgumentName, { isQuoted }: Placeholder): PlayerArgument {
  const { maxLength, pattern, forbiddenCharacters, except = [] } = action.arguments?.[name] ?? {}
  const type = getType(action, name)
  return {
    name,
    type,
    isQuoted,
    isRequired: isRequired(name),
    maxLength: maxLength ?? (name === 'player' ? 100 : maxPlayerArgumentChars),
    pattern,
    forbiddenCharacters: forbiddenCharacters ?? (isQuoted || type === 'name' ? '' : consoleCharacters),
    except,
  }
}
