import { createHash } from 'node:crypto'
import { type Operator, persistently } from './operator.ts'

const tus = { 'tus-resumable': '1.0.0' }
const pieceBytes = 1024 * 1024

export const digestOf = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')

/** Uploads a file in pieces, going on where it was whenever something breaks. Answers how often that was. */
export async function upload(
  operator: Operator,
  server: string,
  path: string,
  bytes: Uint8Array,
  onPiece: (sent: number) => Promise<void> = async () => {},
): Promise<{ breaks: number }> {
  let breaks = 0
  const metadata = `path ${Buffer.from(path).toString('base64')}`
  const place = await persistently(async () => {
    const headers = { ...tus, 'upload-length': String(bytes.length), 'upload-metadata': metadata }
    const made = await operator.fetch(`/proxy/daemon/server/${server}/uploads`, { method: 'POST', headers })
    if (made.status !== 201) throw new Error(`the upload was not begun: ${made.status} ${await made.text()}`)
    return new URL(made.headers.get('location') ?? '', operator.url).pathname
  })
  for (let offset = 0; offset < bytes.length; ) {
    await onPiece(offset)
    try {
      const headers = { ...tus, 'upload-offset': String(offset), 'content-type': 'application/offset+octet-stream' }
      const body = bytes.subarray(offset, offset + pieceBytes)
      const sent = await operator.fetch(place, { method: 'PATCH', headers, body })
      if (sent.status !== 204) throw new Error(`a piece was refused: ${sent.status} ${await sent.text()}`)
      offset = Number(sent.headers.get('upload-offset'))
    } catch {
      breaks++
      offset = await persistently(async () => {
        const asked = await operator.fetch(place, { method: 'HEAD', headers: tus })
        if (asked.status !== 200) throw new Error(`how far the upload is cannot be had: ${asked.status}`)
        return Number(asked.headers.get('upload-offset'))
      })
    }
  }
  return { breaks }
}
