import { Refusal } from '../errors/refusals.ts'

/**
 * How a step escapes variable values that it writes to a file, so that a value cannot end its field. `quoted`: between
 * double quotes without escapes, as in Source and Quake configuration. `ini`: the rest of a line. `properties`: a Java
 * properties value. `json`: inside a JSON or TOML string. `xml`: an attribute or text.
 */
export const escapeFormats = ['quoted', 'ini', 'properties', 'json', 'xml'] as const
export type EscapeFormat = (typeof escapeFormats)[number]

export function isEscapeFormat(name: unknown): name is EscapeFormat {
  return escapeFormats.some((format) => format === name)
}

/** Whether the text has a character that any program may treat as a line break. */
export const hasLineBreak = (text: string): boolean => /[\n\r\v\f\u0085\u2028\u2029]/.test(text)

/** Returns why a value cannot be written in this format; `undefined` when it can. `field` is the display name. */
export function validateWritable(format: EscapeFormat, value: string, field: string): Refusal | undefined {
  const isOneLine = format === 'quoted' || format === 'ini'
  if (isOneLine && hasLineBreak(value)) return new Refusal('ErrFieldNotOneLine', { field })
  const characters = unwritableCharacters(format, value)
  return characters.length > 0
    ? new Refusal('ErrFieldCharacters', { field, characters: listCharacters(characters) })
    : undefined
}

/** Escapes a value for a file. Throws the refusal of `validateWritable`. */
export function escapeValue(format: EscapeFormat, value: string, field: string): string {
  const problem = validateWritable(format, value, field)
  if (problem) throw problem
  switch (format) {
    case 'quoted':
    case 'ini':
      return value
    case 'properties':
      return escapeProperties(value)
    case 'json':
      // JSON allows U+007F unescaped, TOML does not.
      return JSON.stringify(value).slice(1, -1).replaceAll('\x7f', '\\u007f')
    case 'xml':
      return value.replace(/[&<>"'\t\n\r]/g, (char) => `&#${char.charCodeAt(0)};`)
  }
}

/** Lists characters for an error message; invisible ones by code point. */
export function listCharacters(characters: readonly string[]): string {
  const name = (char: string) =>
    /[\p{C}\p{Z}]/u.test(char) ? `U+${(char.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}` : char
  return [...new Set(characters)].slice(0, 10).map(name).join(' ')
}

function unwritableCharacters(format: EscapeFormat, value: string): string[] {
  switch (format) {
    case 'quoted':
      return value.match(/["\\\x00-\x08\x0e-\x1f\x7f]/g) ?? []
    case 'ini':
      // A trailing backslash would continue on the next line.
      return [...(value.match(/[\x00-\x08\x0e-\x1f\x7f]/g) ?? []), ...(value.endsWith('\\') ? ['\\'] : [])]
    case 'xml':
      return value.match(/[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/g) ?? []
    case 'properties':
    case 'json':
      return []
  }
}

/**
 * Keeps the escapes `\u00a7` and `
 * ` that users of Minecraft write in properties.
 */
function escapeProperties(value: string): string {
  return value
    .replace(/\\(?!u[\da-f]{4}|n)/gi, '\\\\')
    .replace(/^ /, '\\ ')
    .replace(/[\x00-\x1f\x7f\u0085\u2028\u2029]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`)
}
