/**
 * Splits a command line at whitespace outside quotes, including newlines. Single and double quotes group and are
 * removed; a backslash escapes the next character, except inside single quotes; `""` is an empty argument. There is no
 * shell: `$VAR`, `*`, `&&` and `>` are ordinary characters.
 */
export function splitCommand(line: string): string[] {
  const parts: string[] = []
  let part: string | undefined
  let quote = ''
  for (let at = 0; at < line.length; at++) {
    const char = line[at] as string
    if (char === '\\' && quote !== "'" && at + 1 < line.length) {
      part = (part ?? '') + line[++at]
    } else if (quote !== '') {
      if (char === quote) quote = ''
      else part += char
    } else if (char === '"' || char === "'") {
      quote = char
      part ??= ''
    } else if (/\s/.test(char)) {
      if (part !== undefined) parts.push(part)
      part = undefined
    } else {
      part = (part ?? '') + char
    }
  }
  if (part !== undefined) parts.push(part)
  return parts
}

/**
 * Replaces each `${name}` that has a value and keeps the others, so that shell-like text survives. Values are not
 * expanded again.
 */
export function substitute(text: string, values: Pick<ReadonlyMap<string, string>, 'get'>): string {
  return text.replace(/\$\{([^{}$]+)\}/g, (whole, name: string) => values.get(name) ?? whole)
}
