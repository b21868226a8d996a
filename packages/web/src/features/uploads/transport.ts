import { putFile } from '@innkeeper/contract/files'
import { limits } from '@innkeeper/contract/limits'
import { uploadBytes } from '../../api/upload-download.ts'
import { persist } from './patience.ts'

export interface Sending {
  readonly server: string
  readonly path: string
  readonly file: File
  readonly existing: 'refuse' | 'replace'
  /** The id of the upload that it goes on with. */
  readonly resumes?: string
  readonly signal: AbortSignal
  readonly onProgress: (sent: number) => void
  readonly onCutOff: () => void
}

/** Why `signal` aborts when a person does not want the file any more; for any other reason it can be taken up again. */
export const cancelled = new DOMException('cancelled by a person', 'AbortError')

/** The file cannot be read any more: it was changed, moved or removed on the person's own machine. */
export class UnreadableFile extends Error {}

/** Brings a file to a server: a small one whole, a large one in pieces, so that little is lost when the network is. */
export async function send(sending: Sending): Promise<void> {
  if (sending.file.size <= limits.uploadWholeBytes && sending.resumes === undefined) return sendWhole(sending)
  const { sendInPieces } = await import('./pieces.ts')
  return sendInPieces(sending)
}

function sendWhole(sending: Sending): Promise<void> {
  const { server, path, file, existing, signal, onProgress } = sending
  const given = { params: { id: server, path }, query: {} }
  const headers = {
    'content-type': 'application/octet-stream',
    ...(existing === 'replace' ? {} : { 'if-none-match': '*' }),
  }
  return persist(async () => void (await uploadBytes(putFile, given, file, { headers, signal, onProgress })), {
    ...sending,
    hopeless: () => unreadable(file),
  })
}

/** A browser tells a file that it cannot read any more, and a lost network, in the same way. */
export async function unreadable(file: File): Promise<Error | undefined> {
  try {
    await file.slice(0, 1).arrayBuffer()
    return undefined
  } catch (cause) {
    return new UnreadableFile(file.name, { cause })
  }
}
