import { Refusal } from '@innkeeper/contract/errors/refusals'
import { getFile, putFile } from '@innkeeper/contract/servers/files'
import { getTrashFile } from '@innkeeper/contract/servers/trash'
import { limits } from '@innkeeper/contract/text/limits'
import { useQuery } from '@tanstack/react-query'
import { getVersion, isRefusal, type Precondition, toPreconditionHeaders } from '../../api/request.ts'
import { downloadBytes, uploadBytes } from '../../api/upload-download.ts'
import { decodeText, type TextFile } from './text-file.ts'

/** A decoded file, and its version (`ETag`). */
export interface LoadedFile extends TextFile {
  readonly size: number
  readonly version: string | undefined
}

async function readFile(server: string, path: string, signal?: AbortSignal): Promise<LoadedFile> {
  const input = { params: { id: server, path } }
  return await readResponse(await downloadBytes(getFile, input, getReadOptions(signal)))
}

const getReadOptions = (signal: AbortSignal | undefined) => ({
  headers: { accept: '*/*' },
  ...(signal ? { signal } : {}),
})

async function readResponse(response: Response): Promise<LoadedFile> {
  const { headers } = response
  // A file always has an ETag; JSON without one is the listing of a folder.
  const isListing = !headers.has('etag') && headers.get('content-type')?.startsWith('application/json')
  if (isListing) throw new Refusal('ErrNotAFile')
  if (Number(headers.get('content-length') ?? 0) > limits.editableFileBytes) {
    await response.body?.cancel()
    throw new Refusal('ErrBodyTooLarge')
  }
  const bytes = new Uint8Array(await response.arrayBuffer())
  if (bytes.length > limits.editableFileBytes) throw new Refusal('ErrBodyTooLarge')
  return { ...decodeText(bytes), size: bytes.length, version: getVersion(headers) }
}

/** Writes a file and returns its new version. Throws ErrStaleVersion if the precondition is not met. */
export async function writeFile(
  server: string,
  path: string,
  bytes: Uint8Array<ArrayBuffer>,
  precondition: Precondition,
): Promise<string | undefined> {
  const headers = {
    'content-type': 'application/octet-stream',
    ...toPreconditionHeaders(precondition),
  }
  const input = { params: { id: server, path }, query: {} }
  try {
    const response = await uploadBytes(putFile, input, new Blob([bytes]), { headers })
    return getVersion({ get: response.header })
  } catch (error) {
    throw isRefusal(error, 'ErrFileExists') ? new Refusal('ErrStaleVersion', {}, { cause: error }) : error
  }
}

/** Reads the version that another user saved; `undefined` if the file was deleted. */
export async function readRemoteVersion(server: string, path: string): Promise<LoadedFile | undefined> {
  try {
    return await readFile(server, path)
  } catch (error) {
    if (isRefusal(error, 'ErrFileNotFound', 'ErrNotFound')) return undefined
    throw error
  }
}

/** Reads a file once: the editor owns the text from then on, so it is neither cached nor refetched. */
export function useFile(server: string, path: string) {
  return useQuery({
    queryKey: ['file-content', server, path],
    queryFn: ({ signal }) => readFile(server, path, signal),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  })
}

/** Reads a former content of a file once: an entry of the trash does not change. */
export function useFileVersion(server: string, path: string, entry: string) {
  return useQuery({
    queryKey: ['file-version', server, path, entry],
    queryFn: async ({ signal }) => {
      const input = { params: { id: server, entry, path } }
      return await readResponse(await downloadBytes(getTrashFile, input, getReadOptions(signal)))
    },
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  })
}
