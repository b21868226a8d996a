import { panelEndpoints } from '@innkeeper/contract/node-link/panel-to-node'
import type { FollowOptions } from '../node-copies/node-jobs.ts'
import { counted, NodeStreams } from '../node-copies/node-streams.ts'
import type { NodeClient } from '../nodes/client/node-client.ts'

/** Timeout of the comparison of all entries, which reads their stats from the disk. */
const compareTimeoutMs = 10 * 60 * 1000

interface Pass {
  readonly from: NodeClient
  readonly to: NodeClient
  readonly server: string
  /** With which the receiver is sealed. */
  readonly token: string
  /** The clock of the sender when the move began. */
  readonly since: number
  /** Whether both must be the same at the end. Throws ErrCopyDiffers. */
  readonly isFinal: boolean
}

/**
 * Copies what the receiver lacks of a server. The receiver lists what it has, the sender compares it with its own files, and
 * sends the difference. Nothing is stored on the way, so any pass can be repeated. Returns the size of the files that were sent.
 */
export async function copyChanges(
  { from, to, server: id, token: move, since, isFinal }: Pass,
  { signal, onProgress }: Pick<FollowOptions, 'signal' | 'onProgress'>,
): Promise<number> {
  const { listMovedFiles, exportChanges, importChanges } = panelEndpoints
  using streams = new NodeStreams(signal)
  const list = await streams.send(to, listMovedFiles, { params: { id }, responseTimeoutMs: compareTimeoutMs })
  const changes = await streams.send(from, exportChanges, {
    params: { id },
    query: { since },
    contentType: 'application/x-ndjson',
    body: list.body,
    responseTimeoutMs: compareTimeoutMs,
  })
  const totalBytes = Number(changes.headers['innkeeper-bytes'] ?? 0)
  const stored = await streams.send(to, importChanges, {
    params: { id, move },
    query: { ...(isFinal && { final: 'true' }) },
    contentType: 'application/octet-stream',
    body: counted(changes.body, (bytes) => onProgress(Math.min(bytes, totalBytes), totalBytes)),
  })
  stored.body.resume()
  return totalBytes
}
