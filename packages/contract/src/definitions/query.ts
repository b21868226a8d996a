import { z } from 'zod/mini'
import type { Definition } from './definition.ts'
import { isPort } from './port-variables.ts'
import { getText, portMax, type Variables } from './variables.ts'

/**
 * How a game is asked for its status: `minecraft` with the Server List Ping of Minecraft Java Edition, `source` with A2S
 * of games with the Source engine and others on Steam, `gamedig` with the library of that name, the others with the
 * protocol of the game.
 */
export const queryTypes = [
  'minecraft',
  'minecraft-bedrock',
  'source',
  'quake3',
  'openttd',
  'mumble',
  'teeworlds',
  'gamedig',
] as const
export type QueryType = (typeof queryTypes)[number]

/** A number, or the value of a variable, also plus a number: `${queryport}`, `${port}+1`. */
const Port = z.union([z.int().check(z.minimum(1), z.maximum(portMax)), z.string().check(z.maxLength(100))])

const Query = z.looseObject({
  type: z.enum(queryTypes),
  /** Default: the port of the server. */
  port: z.optional(Port),
  /** Where a server of Minecraft lists all players, if `enable-query` is set in its configuration. */
  listPort: z.optional(Port),
  /** The ID of the game in the list of gamedig. */
  game: z.optional(z.string().check(z.maxLength(100))),
})

/** Where and how a game is asked. */
export interface GameQuery {
  readonly type: QueryType
  readonly port: number
  readonly listPort?: number | undefined
  readonly game?: string | undefined
}

/**
 * How the game of a server is asked; undefined when the definition does not say it, says something unknown, or its port is
 * not one.
 */
export function findGameQuery({ query, data }: Pick<Definition, 'query' | 'data'>): GameQuery | undefined {
  const { type, port = mainPort, listPort, game } = Query.safeParse(query).data ?? {}
  const number = findPort(port, data)
  if (!type || number === undefined) return undefined
  return {
    type,
    port: number,
    ...(listPort !== undefined && { listPort: findPort(listPort, data) }),
    ...(game && { game }),
  }
}

/**
 * The field of `query` that is not valid: a port that is none or whose variable does not exist, or a missing game. Another
 * type may be one of a later version, and then the game is not asked.
 */
export function findInvalidQueryField({ query, data }: Pick<Definition, 'query' | 'data'>): string | undefined {
  const { success } = z.looseObject({ type: z.enum(queryTypes) }).safeParse(query)
  if (!success) return undefined
  const read = Query.safeParse(query)
  if (!read.success) return ['query', ...(read.error.issues[0]?.path ?? [])].join('.')
  const { type, port, listPort, game } = read.data
  if (port !== undefined && !isPortOf(port, data)) return 'query.port'
  if (listPort !== undefined && !isPortOf(listPort, data)) return 'query.listPort'
  return type === 'gamedig' && !game ? 'query.game' : undefined
}

/** Whether it is a number, or a variable of the definition, whose value may be empty in a template. */
function isPortOf(port: z.infer<typeof Port>, data: Variables): boolean {
  if (typeof port === 'number' || isPort(port)) return true
  const { name } = variablePort.exec(port)?.groups ?? {}
  return name !== undefined && Object.hasOwn(data, name)
}

const mainPort = '${port}'

const variablePort = /^\$\{(?<name>[^{}$]+)\}(?: ?\+ ?(?<offset>\d{1,5}))?$/

function findPort(port: z.infer<typeof Port>, data: Variables): number | undefined {
  if (typeof port === 'number') return port
  if (isPort(port)) return Number(port)
  const { name, offset = 0 } = variablePort.exec(port)?.groups ?? {}
  const value = name !== undefined && Object.hasOwn(data, name) ? getText(data[name]?.value).trim() : ''
  const sum = Number(value) + Number(offset)
  return isPort(value) && sum <= portMax ? sum : undefined
}
