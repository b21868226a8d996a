import { getFile, putFile } from '@innkeeper/contract/files'
import { limits } from '@innkeeper/contract/limits'
import { Refusal } from '@innkeeper/contract/refusals'
import { useCallback, useEffect, useState } from 'react'
import { isRefusal } from '../../api/request.ts'
import { downloadBytes, uploadBytes } from '../../api/upload-download.ts'
import { readText, type TextFile } from './text-file.ts'

/** A file as it was read, and what the server calls that version of it. */
export interface ReadFile extends TextFile {
  readonly size: number
  readonly version: string | undefined
}

/** On what terms a file is written: over this version, or only if there is none. */
export type Condition = { readonly over: string | undefined } | 'isNew'

export async function readFile(server: string, path: string, signal?: AbortSignal): Promise<ReadFile> {
  const given = { params: { id: server, path } }
  const answer = await downloadBytes(getFile, given, { headers: { accept: '*/*' }, ...(signal ? { signal } : {}) })
  // Files have versions; what has none and is JSON is the listing of a folder.
  const isListing = !answer.headers.has('etag') && answer.headers.get('content-type')?.startsWith('application/json')
  if (isListing) throw new Refusal('ErrNotAFile')
  if (Number(answer.headers.get('content-length') ?? 0) > limits.editableFileBytes) {
    await answer.body?.cancel()
    throw new Refusal('ErrBodyTooLarge')
  }
  const bytes = new Uint8Array(await answer.arrayBuffer())
  if (bytes.length > limits.editableFileBytes) throw new Refusal('ErrBodyTooLarge')
  return { ...readText(bytes), size: bytes.length, version: strong(answer.headers.get('etag')) }
}

/** Writes a file and answers its new version; refused with ErrStaleVersion when the condition does not hold. */
export async function writeFile(
  server: string,
  path: string,
  bytes: Uint8Array<ArrayBuffer>,
  condition: Condition,
): Promise<string | undefined> {
  const headers = {
    'content-type': 'application/octet-stream',
    ...(condition === 'isNew'
      ? { 'if-none-match': '*' }
      : condition.over === undefined
        ? {}
        : { 'if-match': condition.over }),
  }
  const { header } = await uploadBytes(putFile, { params: { id: server, path }, query: {} }, new Blob([bytes]), {
    headers,
  })
  return strong(header('etag'))
}

/** A proxy that compresses calls the version weak; the node knows it by the same name. */
function strong(etag: string | null): string | undefined {
  return etag?.replace(/^W\//, '') ?? undefined
}

/** What another person left there meanwhile; `undefined` when they deleted it. */
export async function readTheirs(server: string, path: string): Promise<ReadFile | undefined> {
  try {
    return await readFile(server, path)
  } catch (error) {
    if (isRefusal(error, 'ErrFileNotFound', 'ErrNotFound')) return undefined
    throw error
  }
}

export type Opening =
  | { readonly is: 'loading' }
  | { readonly is: 'failed'; readonly error: unknown }
  | { readonly is: 'open'; readonly file: ReadFile }

/** Reads a file once; `again` tries it anew. */
export function useFile(server: string, path: string): { readonly opening: Opening; readonly retry: () => void } {
  const [opening, setOpening] = useState<Opening>({ is: 'loading' })
  const [tries, setTries] = useState(0)

  // biome-ignore lint/correctness/useExhaustiveDependencies: every try reads anew
  useEffect(() => {
    const reading = new AbortController()
    setOpening({ is: 'loading' })
    readFile(server, path, reading.signal).then(
      (file) => setOpening({ is: 'open', file }),
      (error: unknown) => {
        if (!reading.signal.aborted) setOpening({ is: 'failed', error })
      },
    )
    return () => reading.abort()
  }, [server, path, tries])
  const retry = useCallback(() => setTries((before) => before + 1), [])
  return { opening, retry }
}
