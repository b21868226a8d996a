import { displayedText } from '@innkeeper/contract/errors/one-line'
import { GameStatus } from '@innkeeper/contract/servers/players'
import type { GameAnswer } from './protocols/protocol.ts'

const maxTextChars = 100
const maxNames = 500
/** Some servers have no limit, and report the largest number. */
const maxPlayers = 1_000_000
/** More of a text is not even looked at. */
const maxReadChars = 1_000

/**
 * The status that a game has answered, with its texts on one line and of limited length.
 * @throws ZodError when its numbers are none
 */
export function toGameStatus(answer: GameAnswer, answeredMs: number): GameStatus {
  const { online, max, bots, names } = answer
  const texts = { map: answer.map, version: answer.version, name: answer.name }
  const shown = names?.slice(0, maxNames).flatMap(({ name, id }) => {
    const text = toText(name)
    return text === '' ? [] : [{ name: text, ...(id && { id: toText(id) }) }]
  })
  return GameStatus.parse({
    players: {
      online,
      max: Math.min(max, maxPlayers),
      ...(bots !== undefined && { bots }),
      ...(shown && { names: shown }),
    },
    ...Object.fromEntries(
      Object.entries(texts).flatMap(([key, text = '']) => (toText(text) ? [[key, toText(text)]] : [])),
    ),
    answeredMs: Math.round(answeredMs),
  })
}

const toText = (text: string): string => displayedText(text.slice(0, maxReadChars), maxTextChars)
