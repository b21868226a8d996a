/**
 * `Content-Disposition: attachment` with a file name (RFC 6266): the exact name as in RFC 8187 and an ASCII fallback
 * for old clients. Characters that could end the header or reverse the text direction are removed.
 */
export function contentDisposition(name: string): string {
  const clean = name.toWellFormed().replace(/[\p{Cc}\p{Cf}\u2028\u2029/\\]/gu, '_') || 'file'
  const plain = clean.replace(/[^\x20-\x7e]|["%]/gu, '_')
  const exact = encodeURIComponent(clean).replace(/['()*]/g, (mark) => `%${mark.charCodeAt(0).toString(16)}`)
  return `attachment; filename="${plain}"; filename*=UTF-8''${exact}`
}
