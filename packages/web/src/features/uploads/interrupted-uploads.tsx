import { getUploads, removeUpload } from '@innkeeper/contract/servers/files'
import { Box, Button, FileButton, Group, Stack, Text } from '@mantine/core'
import { useRef, useState } from 'react'
import { basename } from '../../api/file-paths.ts'
import { useApiMutation } from '../../api/use-action.ts'
import { useApiQuery } from '../../api/use-api.ts'
import { useT } from '../../i18n/i18n.tsx'
import { useFormatters } from '../../i18n/use-formatters.ts'
import { Alert } from '../../ui/feedback/alert.tsx'
import { CodeText } from '../../ui/text/code-text.tsx'
import {
  isActive,
  listResumableUploads,
  matchesFile,
  type ResumableUpload,
  removeResumableUpload,
} from './resume-store.ts'
import { useUploads } from './use-uploads.tsx'

interface InterruptedUpload {
  readonly saved: ResumableUpload
  readonly offset: number
}

/**
 * Uploads of this browser that were interrupted, for example by a reload. Each can be resumed with the same file or
 * discarded. Those of other users and browsers may be running.
 */
export function InterruptedUploads({ server, canWrite }: { readonly server: string; readonly canWrite: boolean }) {
  const t = useT()
  // Read once: the queue shows uploads that start later.
  const [saved] = useState(() =>
    listResumableUploads().filter((upload) => upload.server === server && !isActive(upload)),
  )
  const [removed, setRemoved] = useState<readonly string[]>([])
  const enabled = canWrite && saved.length > 0
  const { data } = useApiQuery(getUploads, { params: { id: server } }, { enabled, staleTime: 0 })
  const interrupted = (data ?? []).flatMap(({ id, offset }): readonly InterruptedUpload[] => {
    const own = saved.find(({ upload }) => upload === id)
    return own && !removed.includes(id) ? [{ saved: own, offset }] : []
  })
  if (!enabled || interrupted.length === 0) return null
  return (
    <Alert type="info">
      {t('uploads.InterruptedTitle', { count: interrupted.length })}
      <Stack component="ul" gap="2xs">
        {interrupted.map((upload) => (
          <Row
            key={upload.saved.upload}
            {...upload}
            onRemove={() => setRemoved((ids) => [...ids, upload.saved.upload])}
          />
        ))}
      </Stack>
    </Alert>
  )
}

function Row({ saved, offset, onRemove }: InterruptedUpload & { readonly onRemove: () => void }) {
  const t = useT()
  const { fileSize } = useFormatters()
  const { resume } = useUploads()
  const resetInput = useRef<() => void>(null)
  const [isOtherFile, setIsOtherFile] = useState(false)
  const { server, path, size, upload } = saved
  const name = basename(path)
  const discard = useApiMutation(removeUpload, {
    onSuccess: () => {
      removeResumableUpload(upload)
      onRemove()
    },
  })
  const resumeWith = (file: File | null) => {
    resetInput.current?.()
    if (!file) return
    setIsOtherFile(!matchesFile(saved, file))
    if (!matchesFile(saved, file)) return
    resume(server, path, file, upload)
    onRemove()
  }

  return (
    <Box component="li" display="block">
      <Group gap="sm">
        <Box flex={1} miw="min(100%, 12rem)">
          <CodeText>{path}</CodeText>{' '}
          <Text span variant="caption">
            {t('uploads.InterruptedProgress', { sent: fileSize(offset), size: fileSize(size) })}
          </Text>
        </Box>
        <FileButton
          resetRef={resetInput}
          inputProps={{ 'aria-label': t('uploads.SelectAgainOf', { name }) }}
          onChange={resumeWith}
        >
          {(props) => (
            <Button {...props} size="xs" variant="default">
              {t('uploads.SelectAgain')}
            </Button>
          )}
        </FileButton>
        <Button
          size="xs"
          variant="subtle"
          color="red"
          loading={discard.isPending}
          aria-label={t('uploads.DiscardOf', { name })}
          onClick={() => void discard.mutate({ params: { id: server, upload } })}
        >
          {t('common.Discard')}
        </Button>
      </Group>
      {isOtherFile && (
        <Text fz="xs" c="var(--ik-offline)" role="alert">
          {t('uploads.OtherFile')}
        </Text>
      )}
    </Box>
  )
}
