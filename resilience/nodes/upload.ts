import { createHash } from 'node:crypto'
import { type ApiClient, withRetries } from './api-client.ts'

const tus = { 'tus-resumable': '1.0.0' }
const chunkBytes = 1024 * 1024

export const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')

/** Uploads a file in chunks (tus) and resumes after each failure. Resolves with the number of failures. */
export async function upload(
  client: ApiClient,
  server: string,
  path: string,
  bytes: Uint8Array,
  beforeChunk: (offset: number) => Promise<void> = async () => {},
): Promise<{ retries: number }> {
  let retries = 0
  const metadata = `path ${Buffer.from(path).toString('base64')}`
  const uploadPath = await withRetries(async () => {
    const headers = { ...tus, 'upload-length': String(bytes.length), 'upload-metadata': metadata }
    const created = await client.fetch(`/proxy/daemon/server/${server}/uploads`, { method: 'POST', headers })
    if (created.status !== 201) throw new Error(`creating the upload failed: ${created.status} ${await created.text()}`)
    return new URL(created.headers.get('location') ?? '', client.url).pathname
  })
  for (let offset = 0; offset < bytes.length; ) {
    await beforeChunk(offset)
    try {
      const headers = { ...tus, 'upload-offset': String(offset), 'content-type': 'application/offset+octet-stream' }
      const body = bytes.subarray(offset, offset + chunkBytes)
      const sent = await client.fetch(uploadPath, { method: 'PATCH', headers, body })
      if (sent.status !== 204) throw new Error(`sending a chunk failed: ${sent.status} ${await sent.text()}`)
      offset = Number(sent.headers.get('upload-offset'))
    } catch {
      retries++
      offset = await withRetries(async () => {
        const response = await client.fetch(uploadPath, { method: 'HEAD', headers: tus })
        if (response.status !== 200) throw new Error(`reading the offset of the upload failed: ${response.status}`)
        return Number(response.headers.get('upload-offset'))
      })
    }
  }
  return { retries }
}
