import { ActionIcon, Box, Button, Group, Progress, Text } from '@mantine/core'
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
import { useT } from '../../i18n/i18n.tsx'
import { useFormatters } from '../../i18n/use-formatters.ts'
import { secondsLeft } from '../../ui/text/transfer-rate.ts'
import { getDisplayPath, getErrorText } from './messages.ts'
import { canRetry, getSentBytes, isUnfinished, type Upload, type UploadState } from './queue.ts'
import classes from './uploads.module.css'

interface UploadRowProps {
  readonly upload: Upload
  readonly onCancel: () => void
  readonly onRetry: () => void
  readonly onDismiss: () => void
}

const icons: Readonly<Record<UploadState['status'], typeof IconClock>> = {
  waiting: IconClock,
  conflict: IconHelpCircle,
  running: IconUpload,
  done: IconCircleCheck,
  failed: IconAlertTriangle,
  canceled: IconCircleMinus,
  skipped: IconCircleMinus,
}

const colors: Readonly<Partial<Record<UploadState['status'], string>>> = {
  done: 'var(--ik-online)',
  failed: 'var(--ik-offline)',
  conflict: 'var(--ik-warning)',
}

/** One upload of the queue. */
export const UploadRow = memo(Row, (before, now) => before.upload === now.upload)

function Row({ upload, onCancel, onRetry, onDismiss }: UploadRowProps) {
  const t = useT()
  const { path, state } = upload
  const name = getDisplayPath(upload)
  const folder = dirname(path)
  const Icon = icons[state.status]
  const color = colors[state.status] ?? 'var(--ik-subtle)'
  const isFailed = state.status === 'failed'
  // A reason is longer than a figure, so it gets its own line.
  const status = (
    <Box fz="xs" lh="1rem" c={state.status === 'done' ? 'var(--ik-subtle)' : color} className={classes.figures}>
      <StatusText upload={upload} />
    </Box>
  )
  return (
    <Box component="li" fz="compact" py="2xs" ps="md" pe="xs">
      <Group gap="xs" wrap="nowrap" mih={30}>
        <Icon size={16} color={color} style={{ flex: 'none' }} aria-hidden />
        <span className={classes.name} dir="ltr">
          {folder !== '' && (
            <Text span inherit c="var(--ik-subtle)">
              {folder}/
            </Text>
          )}
          {folder === '' ? name : name.slice(folder.length + 1)}
        </span>
        {!isFailed && status}
        {canRetry(upload) && (
          <Button
            size="compact-xs"
            variant="subtle"
            flex="none"
            onClick={onRetry}
            aria-label={t('uploads.RetryOf', { name })}
          >
            {t('common.TryAgain')}
          </Button>
        )}
        <ActionIcon
          size={24}
          aria-label={t(isUnfinished(upload) ? 'uploads.CancelOf' : 'uploads.DismissOf', { name })}
          onClick={isUnfinished(upload) ? onCancel : onDismiss}
        >
          <IconX size={14} aria-hidden />
        </ActionIcon>
      </Group>
      <Box ms="xl" me="2xl">
        {isFailed && status}
        {state.status === 'running' && <ProgressBar upload={upload} name={name} />}
      </Box>
    </Box>
  )
}

function ProgressBar({ upload, name }: { upload: Upload; name: string }) {
  const t = useT()
  const percent = getPercent(upload)
  return (
    <Progress.Root size="sm" radius="xl" bg="var(--ik-hover)">
      <Progress.Section
        value={percent}
        color="var(--ik-link)"
        // Mantine's attributes would announce every percent; these announce quarters.
        withAria={false}
        role="progressbar"
        aria-label={t('uploads.ProgressOf', { name })}
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuenow={Math.floor(percent / 25) * 25}
      />
    </Progress.Root>
  )
}

function getPercent(upload: Upload): number {
  return upload.size === 0 ? 0 : Math.floor((100 * getSentBytes(upload)) / upload.size)
}

function StatusText({ upload }: { upload: Upload }) {
  const t = useT()
  const { fileSize, percent, longDuration } = useFormatters()
  const { state, size } = upload
  switch (state.status) {
    case 'waiting':
      return t('uploads.Waiting')
    case 'conflict':
      return t('uploads.Conflict')
    case 'running': {
      if (state.isStalled) return t('uploads.Stalled')
      const seconds = secondsLeft(state.rate, size)
      const progress = percent(getPercent(upload))
      // A shorter time changes too fast to be read.
      if (seconds === undefined || seconds < 3) return progress
      return t('uploads.TimeLeft', { percent: progress, time: longDuration(seconds * 1000) })
    }
    case 'done':
      return upload.file ? fileSize(size) : t('uploads.FolderCreated')
    case 'failed':
      return getErrorText(t, state.error)
    case 'canceled':
      return t('uploads.Canceled')
    case 'skipped':
      return t('uploads.Skipped')
  }
}
