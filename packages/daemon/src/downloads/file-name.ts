import { unescape as decoded } from 'node:querystring'

/** Leaves room for the suffix of a partial download. */
const nameBytes = 200

/**
 * Returns the file name for a download: from Content-Disposition, else the last part of the URL. Only a plain name is
 * used, never a path.
 */
export function getFileName(disposition: string | undefined, ...addresses: readonly URL[]): string {
  const suggested = disposition === undefined ? [] : namesIn(disposition)
  const fromAddresses = addresses.map(({ pathname }) => decoded(pathname.slice(pathname.lastIndexOf('/') + 1)))
  for (const name of [...suggested, ...fromAddresses]) {
    const plain = plainName(name)
    if (plain !== undefined) return plain
  }
  return 'download'
}

const extended = /(?:^|;)\s*filename\*\s*=\s*"?UTF-8'[^']*'(?<name>[^;"\s]+)/i
const simple = /(?:^|;)\s*filename\s*=\s*(?:"(?<quoted>(?:[^"\\]|\\.)*)"|(?<bare>[^;]+))/i

/** `filename*` takes precedence over `filename` (RFC 6266). */
function namesIn(disposition: string): string[] {
  const wide = extended.exec(disposition)?.groups?.name
  const { quoted, bare } = simple.exec(disposition)?.groups ?? {}
  const narrow = quoted?.replace(/\\(["\\])/g, '$1') ?? bare
  return [...(wide === undefined ? [] : [decoded(wide)]), ...(narrow === undefined ? [] : [narrow])]
}

function plainName(name: string): string | undefined {
  const last = name.split(/[/\\]/).at(-1) ?? ''
  const clean = last
    .toWellFormed()
    .replace(/[\x00-\x1f\x7f-\x9f]/g, '')
    .trim()
  return ['', '.', '..'].includes(clean) ? undefined : shortened(clean)
}

/** Shortens before the extension. */
function shortened(name: string): string {
  const extension = /\.[^.]{1,20}$/.exec(name)?.[0] ?? ''
  let start = name.slice(0, name.length - extension.length)
  while (Buffer.byteLength(start + extension) > nameBytes) start = [...start].slice(0, -1).join('')
  return start + extension
}
