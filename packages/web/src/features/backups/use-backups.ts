import { getServerBackupTargets } from '@innkeeper/contract/backups/backup-targets'
import {
  type Backup,
  type BackupArchive,
  type BackupJob,
  cancelBackupJob,
  copyBackups,
  createBackupDownload,
  deleteBackup,
  editBackup,
  listBackupJobs,
  listBackups,
  verifyBackup,
} from '@innkeeper/contract/backups/backups'
import { refusalFrom } from '@innkeeper/contract/errors/refusal-envelope'
import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useEffectEvent, useRef, useState } from 'react'
import { useApiMutation } from '../../api/use-action.ts'
import { getQueryKey, useApiQuery } from '../../api/use-api.ts'
import { type TFunction, type TranslationKey, useT } from '../../i18n/i18n.tsx'
import { useFormatters } from '../../i18n/use-formatters.ts'
import { notifyInTab } from '../../theme/browser-tab.ts'
import { downloadUrl } from '../../ui/feedback/download-url.ts'
import { useConfirm } from '../../ui/overlays/confirm.ts'
import { errorMessage } from '../../ui/text/error-message.ts'
import { toast } from '../../ui/toasts/toast.tsx'

/** Polling while a job runs. */
const runningPollMs = 1_000
const idlePollMs = 10_000

export function isActive({ state }: BackupJob): boolean {
  return state === 'waiting' || state === 'running'
}

const doneTexts = {
  create: 'backups.DoneCreate',
  restore: 'backups.DoneRestore',
  verify: 'backups.DoneVerify',
  copy: 'backup-targets.Copied',
} as const satisfies Record<BackupJob['type'], TranslationKey>

const failureTexts = {
  create: 'backups.FailedCreate',
  restore: 'backups.FailedRestore',
  verify: 'backups.FailedVerify',
  copy: 'backup-targets.CopyFailed',
} as const satisfies Record<BackupJob['type'], TranslationKey>

/** The backups themselves show which copies are missing, and why. */
const isShownFailure = ({ state, type }: BackupJob): boolean => state === 'failed' && type !== 'copy'

/** Why a job failed. */
export function getFailureText(t: TFunction, { type, error }: BackupJob): string {
  return t(failureTexts[type], { reason: errorMessage(t, error && refusalFrom({ error })) })
}

/** A backup in words: its note, or its time. */
export function useBackupName(): (backup: Backup) => string {
  const { dateTime } = useFormatters()
  return ({ name, createdAt }) => name || dateTime(Date.parse(createdAt))
}

/** The backups of a server, its jobs, and the actions of the list. */
export function useBackups(server: string) {
  const t = useT()
  const queries = useQueryClient()
  const confirm = useConfirm()
  const getName = useBackupName()
  const params = { id: server }
  const query = useApiQuery(listBackups, { params }, { staleTime: 0, refetchInterval: idlePollMs })
  const targets = useApiQuery(getServerBackupTargets, { params })
  const [hasActive, setHasActive] = useState(false)
  const jobs = useApiQuery(
    listBackupJobs,
    { params },
    {
      staleTime: 0,
      refetchInterval: ({ state }) => (state.data?.some(isActive) ? runningPollMs : idlePollMs),
      // The title of a tab in the background shows the end of a job.
      refetchIntervalInBackground: hasActive,
    },
  )
  const [dismissedIds, setDismissedIds] = useState<ReadonlySet<string>>(new Set())
  const activeIds = useRef(new Set<string>())
  const { mutate: cancelJob } = useApiMutation(cancelBackupJob, { invalidates: [listBackupJobs] })
  const { mutate: edit } = useApiMutation(editBackup, { invalidates: [listBackups] })
  const { mutate: verify } = useApiMutation(verifyBackup, { invalidates: [listBackupJobs] })
  const { mutate: copy } = useApiMutation(copyBackups, { invalidates: [listBackupJobs, listBackups] })
  const { mutate: remove } = useApiMutation(deleteBackup, { invalidates: [listBackups] })
  const { mutate: createDownload } = useApiMutation(createBackupDownload, { onSuccess: ({ url }) => downloadUrl(url) })

  const announceEnd = useEffectEvent((job: BackupJob) => {
    if (job.state === 'done') toast.success(t(doneTexts[job.type]))
    if (job.state === 'done') notifyInTab('success', t(doneTexts[job.type]))
    if (job.state === 'failed') notifyInTab('error', getFailureText(t, job))
    void queries.invalidateQueries({ queryKey: getQueryKey(listBackups) })
  })
  useEffect(() => {
    for (const job of jobs.data ?? []) {
      if (isActive(job)) activeIds.current.add(job.id)
      else if (activeIds.current.delete(job.id)) announceEnd(job)
    }
    setHasActive(activeIds.current.size > 0)
  }, [jobs.data])

  return {
    query,
    /** Missing until they are loaded, and for older nodes. */
    targets: targets.data,
    active: (jobs.data ?? []).filter(isActive).toReversed(),
    /** Jobs that failed, until they are dismissed. */
    failed: (jobs.data ?? []).filter(isShownFailure).filter(({ id }) => !dismissedIds.has(id)),
    dismiss: (id: string) => setDismissedIds((all) => new Set([...all, id])),
    cancel: ({ id }: BackupJob) => cancelJob({ params: { ...params, job: id } }),
    setLocked: ({ id }: Backup, isLocked: boolean) => edit({ params: { ...params, backup: id }, body: { isLocked } }),
    copy: (target: string) => copy({ params: { ...params, target } }),
    verify: ({ id }: Backup, target?: string) => verify({ params: { ...params, backup: id }, query: { target } }),
    remove: (backup: Backup) =>
      confirm({
        title: t('common.DeleteQuestion', { name: getName(backup) }),
        body: t('files.DeleteBody'),
        onConfirm: () => remove({ params: { ...params, backup: backup.id } }),
      }),
    /** Downloads a file, or a folder as an archive. */
    download: ({ id }: Backup, path: string, format: BackupArchive) =>
      createDownload({ params: { ...params, backup: id }, body: { path, format } }),
  }
}
export type Backups = ReturnType<typeof useBackups>
