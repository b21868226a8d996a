import { cancelFileJob, type FileJob, type FileWork, getFileJobs, startFileJob } from '@innkeeper/contract/files'
import { limits } from '@innkeeper/contract/limits'
import type { RefusalCode } from '@innkeeper/contract/refusals'
import { useQueryClient } from '@tanstack/react-query'
import { useCallback, useEffect, useEffectEvent, useRef, useState } from 'react'
import { useApiMutation } from '../../api/use-api-mutation.ts'
import { getQueryKey, useApiQuery } from '../../api/use-api-query.ts'
import { endedOf } from './jobs.ts'

/** These fail again in the same way. */
const final: readonly RefusalCode[] = [
  'ErrFileExists',
  'ErrFileNotFound',
  'ErrMissingDirectory',
  'ErrFolderInItself',
  'ErrUnsupportedArchive',
  'ErrArchiveTooLarge',
  'ErrIllegalFileAccess',
]

/** Work on the files of a server, whoever began it. `onEnd` is told once of each piece that ends before our eyes. */
export function useJobs(server: string, onEnd: (job: FileJob) => void) {
  const queries = useQueryClient()
  const known = useRef(new Set<string>())
  const works = useRef(new Map<string, FileWork>())
  const begun = useRef(0)
  const [kept, setKept] = useState<readonly FileJob[]>([])
  const starting = useApiMutation(startFileJob)
  const cancelling = useApiMutation(cancelFileJob)
  const given = { params: { id: server } }
  const jobs = useApiQuery(getFileJobs, given, {
    staleTime: 0,
    refetchInterval: ({ state }) => {
      if (!state.data?.some((job) => job.state === 'running')) return limits.fileJobsIdleMs
      return Date.now() - begun.current < limits.fileJobsEveryMs ? limits.fileJobsFirstMs : limits.fileJobsEveryMs
    },
  })

  const ended = useEffectEvent(onEnd)
  useEffect(() => {
    if (!jobs.data) return
    for (const job of endedOf(known.current, jobs.data)) {
      known.current.delete(job.id)
      // What went well needs no more than a short message; the rest stays until it was read.
      if (job.state === 'failed' || (job.state === 'done' && job.skippedCount)) setKept((all) => [job, ...all])
      ended(job)
    }
    for (const { id, state } of jobs.data) if (state === 'running') known.current.add(id)
  }, [jobs.data])

  const start = useCallback(
    async (work: FileWork): Promise<void> => {
      const job = await starting.mutateAsync({ params: { id: server }, body: work })
      works.current.set(job.id, work)
      known.current.add(job.id)
      begun.current = Date.now()
      // An answer that is still under way does not know of it.
      const asked = getQueryKey(getFileJobs, { params: { id: server } })
      await queries.cancelQueries({ queryKey: asked })
      queries.setQueryData<readonly FileJob[]>(asked, (all = []) => [job, ...all.filter(({ id }) => id !== job.id)])
    },
    [starting.mutateAsync, queries, server],
  )
  const dismiss = (id: string) => setKept((all) => all.filter((job) => job.id !== id))

  return {
    running: (jobs.data ?? []).filter(({ state }) => state === 'running'),
    /** Ended, and worth reading. */
    kept,
    start,
    dismiss,
    async cancel(job: FileJob): Promise<void> {
      await cancelling.mutateAsync({ params: { id: server, job: job.id } })
      await queries.invalidateQueries({ queryKey: getQueryKey(getFileJobs, given) })
    },
    /** Begins failed work once more; `undefined` where that makes no sense. */
    retryOf({ id, state, error }: FileJob): (() => void) | undefined {
      const work = works.current.get(id)
      if (state !== 'failed' || !work || final.some((code) => code === error?.code)) return undefined
      return () => {
        dismiss(id)
        void start(work).catch(() => undefined)
      }
    },
  }
}
export type Jobs = ReturnType<typeof useJobs>
