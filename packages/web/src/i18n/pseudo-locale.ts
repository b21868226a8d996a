type Catalog = Readonly<Record<string, string>>

const accented: Readonly<Record<string, string>> = Object.fromEntries(
  [...'aâcçeéiînñoôuûyýAÅCÇEÉIÎNÑOÔUÛYÝ'.matchAll(/(.)(.)/gu)].map(([, letter = '', accent = '']) => [letter, accent]),
)

/**
 * English texts with accents, in brackets and 40 % longer, as many translations are. The filler wraps like words.
 * Placeholders and tags stay.
 */
export function pseudolocalize(catalog: Catalog): Catalog {
  return Object.fromEntries(Object.entries(catalog).map(([key, text]) => [key, lengthen(text)]))
}

function lengthen(text: string): string {
  const letters = text.replace(/\{\w+\}|<\/?\w+\/?>|[a-zA-Z]/g, (part) => accented[part] ?? part)
  const filler = '~'.repeat(Math.ceil(text.length * 0.4)).replace(/~{12}(?=~)/g, '$& ')
  return `[${letters}${filler}]`
}
