export interface UploadFileOptions {
  readonly server: string
  readonly path: string
  readonly file: File
  readonly existing: 'refuse' | 'replace'
  /** The id of the upload to resume. */
  readonly resumes?: string
  readonly signal: AbortSignal
  readonly onProgress: (sent: number) => void
  readonly onStalled: () => void
}

/** The abort reason of a canceled upload, which is deleted. After any other abort it can be resumed. */
export const cancelReason = new DOMException('The user canceled the upload', 'AbortError')

/** The file was changed, moved or deleted on the user's device, so the browser cannot read it any more. */
export class UnreadableFileError extends Error {}

/** Browsers report an unreadable file like a lost network, so this reads a byte. Returns the error, if any. */
export async function checkReadable(file: File): Promise<Error | undefined> {
  try {
    await file.slice(0, 1).arrayBuffer()
    return undefined
  } catch (cause) {
    return new UnreadableFileError(file.name, { cause })
  }
}
