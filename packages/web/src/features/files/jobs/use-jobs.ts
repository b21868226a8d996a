import type { RefusalCode } from '@innkeeper/contract/errors/refusals'
import {
  cancelFileJob,
  type FileJob,
  type FileJobRequest,
  getFileJobs,
  startFileJob,
} from '@innkeeper/contract/servers/files'
import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useEffectEvent, useRef, useState } from 'react'
import { request } from '../../../api/request.ts'
import { useAction, useApiMutation } from '../../../api/use-action.ts'
import { getQueryKey, useApiQuery } from '../../../api/use-api.ts'
import { findEndedJobs } from './jobs.ts'

/** Polling right after the start of a job. */
const firstPollMs = 250
/** Polling while a job runs. */
const runningPollMs = 1_000
/** Polling for jobs of other users. */
const idlePollMs = 10_000

/** Errors that a retry would get again. */
const permanentErrors: readonly RefusalCode[] = [
  'ErrFileExists',
  'ErrFileNotFound',
  'ErrMissingDirectory',
  'ErrFolderInItself',
  'ErrUnsupportedArchive',
  'ErrArchiveTooLarge',
  'ErrIllegalFileAccess',
]

/** The file jobs of a server, started by any user. `onEnd` is called once for each job that this page saw running. */
export function useJobs(server: string, onEnd: (job: FileJob) => void) {
  const queries = useQueryClient()
  const runningIds = useRef(new Set<string>())
  const requestByJob = useRef(new Map<string, FileJobRequest>())
  const startedAt = useRef(0)
  const [isRunning, setIsRunning] = useState(false)
  const [ended, setEnded] = useState<readonly FileJob[]>([])
  const { mutate: start, mutateAsync: startAsync } = useAction(
    (body: FileJobRequest) => request(startFileJob, { params: { id: server }, body }),
    {
      onSuccess: async (job, jobRequest) => {
        requestByJob.current.set(job.id, jobRequest)
        runningIds.current.add(job.id)
        startedAt.current = Date.now()
        // The response of a request that is in flight does not contain the new job.
        const queryKey = getQueryKey(getFileJobs, { params: { id: server } })
        await queries.cancelQueries({ queryKey })
        queries.setQueryData<readonly FileJob[]>(queryKey, (all = []) => [
          job,
          ...all.filter(({ id }) => id !== job.id),
        ])
      },
    },
  )
  const { mutate: cancelJob } = useApiMutation(cancelFileJob, { invalidates: [getFileJobs] })
  const jobs = useApiQuery(
    getFileJobs,
    { params: { id: server } },
    {
      staleTime: 0,
      refetchInterval: ({ state }) => {
        if (!state.data?.some((job) => job.state === 'running')) return idlePollMs
        return Date.now() - startedAt.current < runningPollMs ? firstPollMs : runningPollMs
      },
      // The title of a tab in the background shows the end of a job.
      refetchIntervalInBackground: isRunning,
    },
  )

  const notifyEnded = useEffectEvent(onEnd)
  useEffect(() => {
    if (!jobs.data) return
    for (const job of findEndedJobs(runningIds.current, jobs.data)) {
      runningIds.current.delete(job.id)
      // A successful job only gets a toast; the others stay until the user dismisses them.
      if (job.state === 'failed' || (job.state === 'done' && job.skippedCount)) setEnded((all) => [job, ...all])
      notifyEnded(job)
    }
    for (const { id, state } of jobs.data) if (state === 'running') runningIds.current.add(id)
    setIsRunning(runningIds.current.size > 0)
  }, [jobs.data])

  const dismiss = (id: string) => setEnded((all) => all.filter((job) => job.id !== id))

  return {
    running: (jobs.data ?? []).filter(({ state }) => state === 'running'),
    /** Jobs that failed or skipped files, until they are dismissed. */
    ended,
    /** Returns whether the job was started. */
    start,
    /** The same for forms: rejects with the `Refusal`. */
    startAsync,
    dismiss,
    cancel: (job: FileJob) => cancelJob({ params: { id: server, job: job.id } }),
    /** Starts a failed job again; `undefined` if it would fail in the same way. */
    getRetry({ id, state, error }: FileJob): (() => void) | undefined {
      const jobRequest = requestByJob.current.get(id)
      if (state !== 'failed' || !jobRequest || permanentErrors.some((code) => code === error?.code)) return undefined
      return () => {
        dismiss(id)
        void start(jobRequest)
      }
    },
  }
}
export type Jobs = ReturnType<typeof useJobs>
