import { Refusal } from '../errors/refusals.ts'
import { hasLineBreak, listCharacters } from '../text/escape.ts'
import { compilePattern } from '../text/pattern.ts'
import { type PlayerAction, type PlayerArgument, type PlayerArgumentName, placeholders } from './player-actions.ts'

/** Some games read 256 bytes at once and take the rest of a longer line for another command. */
const maxLineBytes = 250

/** Control characters, halves of characters, and characters that change the order of others. */
const neverAllowed = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_Control}]/u
/** Of a name outside quotes, which is one word. */
const wordCharacter = /[\p{L}\p{M}\p{N}_.:[\]-]/u

export type PlayerValues = Readonly<Partial<Record<PlayerArgumentName, string | undefined>>>

/** The bytes that the game gets for a text. */
type Encode = (text: string) => Uint8Array

/**
 * The line for the console with the values of a user, which can add neither a command nor an argument to it. Throws a
 * refusal with the `field`.
 */
export function buildPlayerCommand(
  action: PlayerAction,
  values: PlayerValues,
  encode: Encode = (text) => new TextEncoder().encode(text),
): string {
  const texts = new Map(
    action.arguments.map((argument) => {
      const given = values[argument.name] ?? ''
      const text = argument.type === 'text' ? given.trim() : given
      const problem = problemOfValue(argument, text, encode)
      if (problem) throw problem
      return [argument.name as string, text]
    }),
  )
  const line = action.command.replace(placeholders, (_, name: string) => texts.get(name) ?? '').trimEnd()
  const excess = encode(line).length - maxLineBytes
  if (excess > 0) throw tooLong(texts, excess)
  return line
}

function problemOfValue(argument: PlayerArgument, text: string, encode: Encode): Refusal | undefined {
  const { name: field, isRequired, maxLength: max, except, pattern } = argument
  if (text.trim() === '') return isRequired ? new Refusal('ErrFieldRequired', { field }) : undefined
  // Counting is cheap for a text that is too long in any case.
  if (text.length > 2 * max || [...text].length > max) return new Refusal('ErrFieldTooLong', { field, max })
  if (hasLineBreak(text)) return new Refusal('ErrFieldNotOneLine', { field })
  const forbidden = [...text].filter((char) => isForbidden(argument, char) || hasForbiddenByte(argument, char, encode))
  if (forbidden.length > 0) return new Refusal('ErrFieldCharacters', { field, characters: listCharacters(forbidden) })
  if (meansMore(argument, text) || except.some((other) => other.toLowerCase() === text.trim().toLowerCase()))
    return new Refusal('ErrFieldInvalid', { field })
  const isMatch = pattern === undefined || compilePattern(pattern).matcher(text).find()
  return isMatch ? undefined : new Refusal('ErrFieldPattern', { field, pattern })
}

function isForbidden({ type, isQuoted, forbiddenCharacters }: PlayerArgument, char: string): boolean {
  if (neverAllowed.test(char) || forbiddenCharacters.includes(char)) return true
  if (isQuoted) return char === '"' || char === '\\'
  return type === 'name' && !wordCharacter.test(char)
}

/** In some encodings a byte of a letter is that of a backslash. */
function hasForbiddenByte(argument: PlayerArgument, char: string, encode: Encode): boolean {
  if (char < '\x80') return false
  return [...encode(char)].some((byte) => byte < 0x80 && isForbidden(argument, String.fromCharCode(byte)))
}

/** `@` begins a group of players (`@a`), and `-` an option. */
function meansMore({ name, type, isQuoted }: PlayerArgument, text: string): boolean {
  if (name !== 'player') return false
  return type === 'name' && !isQuoted ? /^[:\]-]/.test(text) : /^\s*[@-]/.test(text)
}

/** The longest value is the one to shorten. */
function tooLong(texts: ReadonlyMap<string, string>, excess: number): Refusal {
  const [field, text] = [...texts].reduce((longest, one) => (one[1].length > longest[1].length ? one : longest))
  return new Refusal('ErrFieldTooLong', { field, max: Math.max(1, [...text].length - excess) })
}
