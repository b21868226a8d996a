/** Control characters, line separators, and characters that change the direction of the text after them. */
const invisible = /[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]+/g

/** Text from outside as a part of a message: on one line, without invisible characters, at most `maxChars` long. */
export function displayedText(text: string, maxChars: number): string {
  const line = text.replace(invisible, ' ').trim()
  return line.length > maxChars ? `${line.slice(0, maxChars - 1).toWellFormed()}…` : line
}

/** Removes line breaks, so that no header or line can be injected. */
export function onOneLine(text: string): string {
  return text.replace(/[\x00-\x1f\x7f-\x9f\u2028\u2029]+/g, ' ').trim()
}
