import { ActionIcon, Button } from '@mantine/core'
import {
  IconAlertTriangle,
  IconCircleCheck,
  IconCircleMinus,
  IconClock,
  IconHelpCircle,
  IconUpload,
  IconX,
} from '@tabler/icons-react'
import { memo } from 'react'
import { dirname } from '../../api/file-paths.ts'
import { useFormatters, useT } from '../../i18n/i18n.tsx'
import { secondsLeft } from './pace.ts'
import { isUnfinished, sentOf, type Upload } from './queue.ts'
import classes from './uploads.module.css'
import { failureText, shownPath } from './words.ts'

interface UploadRowProps {
  readonly upload: Upload
  readonly onCancel: () => void
  readonly onRetry: () => void
  readonly onDismiss: () => void
}

const icons = {
  waiting: IconClock,
  asking: IconHelpCircle,
  running: IconUpload,
  done: IconCircleCheck,
  failed: IconAlertTriangle,
  cancelled: IconCircleMinus,
  skipped: IconCircleMinus,
}

/** One file of the queue. */
export const UploadRow = memo(Row, (before, now) => before.upload === now.upload)

function Row({ upload, onCancel, onRetry, onDismiss }: UploadRowProps) {
  const t = useT()
  const { state, path } = upload
  const name = shownPath(upload)
  const folder = dirname(path)
  const Icon = icons[state.is]
  const canRetry = (state.is === 'failed' && state.canRetry) || state.is === 'cancelled'
  return (
    <li className={classes.row} data-state={state.is}>
      <Icon size={18} aria-hidden />
      <span className={classes.name} dir="ltr" title={path}>
        {folder !== '' && <span className={classes.folder}>{folder}/</span>}
        <span className={classes.file}>{folder === '' ? name : name.slice(folder.length + 1)}</span>
      </span>
      <span className={classes.state}>
        <StateText upload={upload} />
      </span>
      {canRetry && (
        <Button
          size="compact-xs"
          variant="subtle"
          color="gray"
          onClick={onRetry}
          aria-label={t('uploads.RetryOf', { name })}
        >
          {t('uploads.Retry')}
        </Button>
      )}
      {isUnfinished(upload) ? (
        <ActionIcon size={24} aria-label={t('uploads.CancelOf', { name })} onClick={onCancel}>
          <IconX size={14} aria-hidden />
        </ActionIcon>
      ) : (
        <ActionIcon size={24} aria-label={t('uploads.DismissOf', { name })} onClick={onDismiss}>
          <IconX size={14} aria-hidden />
        </ActionIcon>
      )}
      {state.is === 'running' && <Bar upload={upload} name={name} />}
    </li>
  )
}

function Bar({ upload, name }: { upload: Upload; name: string }) {
  const t = useT()
  const percent = percentOf(upload)
  return (
    <div
      className={classes.bar}
      role="progressbar"
      aria-label={t('uploads.ProgressOf', { name })}
      aria-valuemin={0}
      aria-valuemax={100}
      // Screen readers hear quarters only.
      aria-valuenow={Math.floor(percent / 25) * 25}
    >
      <div style={{ inlineSize: `${percent}%` }} />
    </div>
  )
}

function percentOf(upload: Upload): number {
  return upload.size === 0 ? 0 : Math.floor((100 * sentOf(upload)) / upload.size)
}

function StateText({ upload }: { upload: Upload }) {
  const t = useT()
  const { bytes, percent, number } = useFormatters()
  const { state, size } = upload
  switch (state.is) {
    case 'waiting':
      return t('uploads.Waiting')
    case 'asking':
      return t('uploads.Asking')
    case 'running': {
      if (state.isCutOff) return t('uploads.CutOff')
      const left = secondsLeft(state.pace, size)
      const share = percent(percentOf(upload))
      // What is over in a moment needs no forecast.
      if (left === undefined || left < 3) return share
      if (left < 90) return t('uploads.SecondsLeft', { percent: share, time: number(left) })
      if (left < 5400) return t('uploads.MinutesLeft', { percent: share, time: number(Math.round(left / 60)) })
      return t('uploads.HoursLeft', { percent: share, time: number(Math.round(left / 3600)) })
    }
    case 'done':
      return upload.file ? bytes(size) : t('uploads.Made')
    case 'failed':
      return failureText(t, state.error)
    case 'cancelled':
      return t('uploads.Cancelled')
    case 'skipped':
      return t('uploads.Skipped')
  }
}
