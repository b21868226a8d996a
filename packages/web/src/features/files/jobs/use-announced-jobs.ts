import type { FileJob } from '@innkeeper/contract/servers/files'
import { useState } from 'react'
import { basename } from '../../../api/file-paths.ts'
import { useT } from '../../../i18n/i18n.tsx'
import { notifyInTab } from '../../../theme/browser-tab.ts'
import { toast } from '../../../ui/toasts/toast.tsx'
import type { ToastOptions } from '../../../ui/toasts/toast-message.ts'
import { useTrashActions } from '../trash/use-trash.ts'
import { getResultText } from './file-job-list.tsx'
import { useJobs } from './use-jobs.ts'

interface AnnouncedJobsOptions {
  readonly server: string
  readonly canWrite: boolean
  readonly onEnd: (job: FileJob) => void
}

/** The jobs of a server. The end of one that this page saw running is shown, and can be undone if it deleted something. */
export function useAnnouncedJobs({ server, canWrite, onEnd }: AnnouncedJobsOptions) {
  const t = useT()
  const [announcement, setAnnouncement] = useState('')
  const { undo } = useTrashActions(server)
  const getUndo = ({ kind, trash = [], path: first, paths: count }: FileJob): ToastOptions => {
    if (!canWrite || kind !== 'delete' || trash.length === 0) return {}
    return { action: { label: t('common.Undo'), run: () => void undo(trash, { name: basename(first), count }) } }
  }
  const jobs = useJobs(server, (job) => {
    const result = getResultText(t, job)
    setAnnouncement(result)
    if (job.state !== 'cancelled') notifyInTab(job.state === 'failed' ? 'error' : 'success', result)
    if (job.state !== 'failed' && !job.skippedCount) toast.success(result, getUndo(job))
    onEnd(job)
  })
  return { jobs, announcement }
}
