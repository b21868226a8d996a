/** Removes line breaks, so that no header or line can be injected. */
export function onOneLine(text: string): string {
  return text.replace(/[\x00-\x1f\x7f-\x9f\u2028\u2029]+/g, ' ').trim()
}
