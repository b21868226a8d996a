import { Refusal } from './refusals.ts'

/**
 * How a step writes values of variables into a file, so that each stays one value whatever somebody entered.
 * `quoted`: between double quotes that nothing can escape, as in configuration of Source and Quake. `ini`: the rest of a
 * line. `properties`: a value of Java properties. `json`: inside a string of JSON or TOML. `xml`: an attribute or text.
 */
export const escapeFormats = ['quoted', 'ini', 'properties', 'json', 'xml'] as const
export type EscapeFormat = (typeof escapeFormats)[number]

export function isEscapeFormat(name: unknown): name is EscapeFormat {
  return escapeFormats.some((format) => format === name)
}

/** Whether a text has several lines for any of the programs that may read it. */
export const hasLineBreak = (text: string): boolean => /[\n\r\v\f\u0085\u2028\u2029]/.test(text)

/** Why a value cannot be written so; `undefined` when it can. `field` is what people call it. */
export function objectionToWriting(format: EscapeFormat, value: string, field: string): Refusal | undefined {
  const isOneLine = format === 'quoted' || format === 'ini'
  if (isOneLine && hasLineBreak(value)) return new Refusal('ErrFieldNotOneLine', { field })
  const characters = unwritable(format, value)
  return characters.length > 0 ? new Refusal('ErrFieldCharacters', { field, characters: shown(characters) }) : undefined
}

/** A value as it is written into a file. Throws the refusal of `objectionToWriting`. */
export function escaped(format: EscapeFormat, value: string, field: string): string {
  const objection = objectionToWriting(format, value, field)
  if (objection) throw objection
  switch (format) {
    case 'quoted':
    case 'ini':
      return value
    case 'properties':
      return inProperties(value)
    case 'json':
      // TOML, unlike JSON, does not take this one as it is.
      return JSON.stringify(value).slice(1, -1).replaceAll('\x7f', '\\u007f')
    case 'xml':
      return value.replace(/[&<>"'\t\n\r]/g, (char) => `&#${char.charCodeAt(0)};`)
  }
}

/** Characters in quotes for a message; those that cannot be seen by their number. */
export function shown(characters: readonly string[]): string {
  const name = (char: string) =>
    /[\p{C}\p{Z}]/u.test(char) ? `U+${(char.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}` : char
  return [...new Set(characters)].slice(0, 10).map(name).join(' ')
}

function unwritable(format: EscapeFormat, value: string): string[] {
  switch (format) {
    case 'quoted':
      return value.match(/["\\\x00-\x08\x0e-\x1f\x7f]/g) ?? []
    case 'ini':
      // At the end it would join the next line.
      return [...(value.match(/[\x00-\x08\x0e-\x1f\x7f]/g) ?? []), ...(value.endsWith('\\') ? ['\\'] : [])]
    case 'xml':
      return value.match(/[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/g) ?? []
    case 'properties':
    case 'json':
      return []
  }
}

/** What people write for another character in Minecraft's properties, `\u00a7` and `\n`, goes on to mean it. */
function inProperties(value: string): string {
  return value
    .replace(/\\(?!u[\da-f]{4}|n)/gi, '\\\\')
    .replace(/^ /, '\\ ')
    .replace(/[\x00-\x1f\x7f\u0085\u2028\u2029]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`)
}
