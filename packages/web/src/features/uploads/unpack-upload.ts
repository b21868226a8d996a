import { refusalFrom } from '@innkeeper/contract/errors/refusal-envelope'
import { Refusal } from '@innkeeper/contract/errors/refusals'
import { type FileJobRequest, getFileJobs, moveFile, putFile, startFileJob } from '@innkeeper/contract/servers/files'
import { limits } from '@innkeeper/contract/text/limits'
import { request } from '../../api/request.ts'

/** What is done with an archive after its upload: its content replaces it. */
export interface Unpacking {
  /** The folder of the archive whose content goes to the folder of the server; empty for all of it. */
  readonly folder: string
  /** The names in that folder. */
  readonly names: readonly string[]
  /** A file that gets another name. */
  readonly rename?: { readonly from: string; readonly to: string } | undefined
}

const pollIntervalMs = 500
/** Exists only until the files are moved. */
const temporaryFolder = '.innkeeper-import'

/** Extracts an uploaded archive into the folder of its server, and deletes it. */
export async function unpackUpload(
  server: string,
  path: string,
  { folder, names, rename }: Unpacking,
  signal: AbortSignal,
): Promise<void> {
  const run = (jobRequest: FileJobRequest) => runJob(server, jobRequest, signal)
  const destination = folder === '' ? '' : temporaryFolder
  if (destination !== '')
    await request(putFile, { params: { id: server, path: destination }, query: { folder: 'true' } }, { signal })
  await run({ kind: 'extract', path, destination, existing: 'refuse' })
  if (destination !== '') {
    const paths = names.map((name) => `${destination}/${folder}/${name}`)
    for (let at = 0; at < paths.length; at += limits.pathsPerJob) {
      const batch = paths.slice(at, at + limits.pathsPerJob)
      await run({ kind: 'move', paths: batch, destination: '', existing: 'refuse' })
    }
  }
  if (rename) await request(moveFile, { params: { id: server }, body: { ...rename, existing: 'refuse' } }, { signal })
  await run({ kind: 'delete', paths: destination === '' ? [path] : [path, destination] })
}

async function runJob(server: string, jobRequest: FileJobRequest, signal: AbortSignal): Promise<void> {
  const params = { id: server }
  let job = await request(startFileJob, { params, body: jobRequest }, { signal })
  while (job.state === 'running') {
    await new Promise((resolve) => setTimeout(resolve, pollIntervalMs))
    signal.throwIfAborted()
    const jobs = await request(getFileJobs, { params }, { signal })
    const found = jobs.find(({ id }) => id === job.id)
    if (!found) throw new Refusal('ErrTaskInterrupted')
    job = found
  }
  if (job.state === 'cancelled') throw new Refusal('ErrCancelled')
  if (job.state === 'failed') throw (job.error && refusalFrom({ error: job.error })) ?? new Refusal('ErrUnknownError')
}
