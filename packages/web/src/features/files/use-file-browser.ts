import type { FileJob } from '@innkeeper/contract/servers/files'
import type { ServerView } from '@innkeeper/contract/servers/servers'
import { useState } from 'react'
import { basename, dirname } from '../../api/file-paths.ts'
import { useT } from '../../i18n/i18n.tsx'
import { notifyInTab } from '../../theme/browser-tab.ts'
import { useIsPhone } from '../../ui/layout/page.tsx'
import { toast } from '../../ui/toasts/toast.tsx'
import type { ToastOptions } from '../../ui/toasts/toast-message.ts'
import { getOpenAction } from './file-types.ts'
import { getResultText } from './jobs/file-job-list.tsx'
import { useJobs } from './jobs/use-jobs.ts'
import { useTrashActions } from './trash/use-trash.ts'
import { useFileActions } from './use-file-actions.tsx'
import { useFileSelection, useItems } from './use-items.ts'
import { useRefresh } from './use-refresh.ts'

export interface FileBrowserOptions {
  readonly server: Pick<ServerView, 'id' | 'name'>
  /** Whether the user has the scope putServerFiles. */
  readonly canWrite: boolean
  /** The current folder, relative to the server's folder. */
  readonly path: string
  readonly onPath: (path: string) => void
  /** The URL of a folder. */
  readonly getHref: (path: string) => string
  readonly onEdit: (path: string) => void
  /** Shows an image; `images` are all images in the list, in its order. */
  readonly onPreview: (path: string, images: readonly string[]) => void
  /** A job ended that this page saw running. */
  readonly onJobEnd?: (job: FileJob) => void
}

export type FileBrowserState = ReturnType<typeof useFileBrowser>

/** The items of the current folder with their selection, jobs and actions. */
export function useFileBrowser(options: FileBrowserOptions) {
  const { server, canWrite, path, onPath, getHref, onEdit, onPreview, onJobEnd } = options
  const isPhone = useIsPhone()
  const listed = useItems(server.id, path)
  const { items, names, search } = listed
  const selection = useFileSelection(items, path)
  const { refresh, refreshAll } = useRefresh(server.id, path)
  const { jobs, announcement } = useAnnouncedJobs({
    server: server.id,
    canWrite,
    onEnd: (job) => {
      refreshAll()
      onJobEnd?.(job)
    },
  })
  const images = () => items.filter((item) => getOpenAction(item) === 'preview').map((item) => item.path)
  const actions = useFileActions({
    server,
    path,
    names,
    canWrite,
    start: jobs.start,
    refresh,
    onPath,
    onEdit,
    onPreview: (image) => onPreview(image, images()),
  })
  return {
    server,
    canWrite,
    path,
    onPath,
    getHref,
    onEdit,
    isPhone,
    listed,
    /** The request for the items in view. */
    query: search.isSearching ? search.request : listed.listing,
    selection,
    jobs,
    announcement,
    actions,
    refresh: () => void refresh(),
    createFile: () => actions.openDialog({ type: 'create', itemType: 'file' }),
    createFolder: () => actions.openDialog({ type: 'create', itemType: 'folder' }),
    /** Ends the search, or leaves the folder. */
    goUp: () => {
      if (search.query !== '') search.setFilter('')
      else if (path !== '') onPath(dirname(path))
    },
  }
}

interface AnnouncedJobsOptions {
  readonly server: string
  readonly canWrite: boolean
  readonly onEnd: (job: FileJob) => void
}

/** The jobs of a server. The end of one that this page saw running is shown, and can be undone if it deleted something. */
function useAnnouncedJobs({ server, canWrite, onEnd }: AnnouncedJobsOptions) {
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
