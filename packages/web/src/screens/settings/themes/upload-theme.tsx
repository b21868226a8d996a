import { getConfig } from '@innkeeper/contract/settings/panel'
import { listThemes, putTheme } from '@innkeeper/contract/settings/themes'
import { tarLimits } from '@innkeeper/contract/theme/tar'
import { ThemeError } from '@innkeeper/contract/theme/theme-error'
import { maxCssBytes, readTheme, type Theme } from '@innkeeper/contract/theme/theme-file'
import { Button, Group, Modal, Skeleton, Stack, Text } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { useApiMutation } from '../../../api/use-action.ts'
import { useApiQuery } from '../../../api/use-api.ts'
import { useT } from '../../../i18n/i18n.tsx'
import { useFormatters } from '../../../i18n/use-formatters.ts'
import { Alert } from '../../../ui/feedback/alert.tsx'
import { toast } from '../../../ui/toasts/toast.tsx'
import { ContrastBadge } from './contrast-badge.tsx'
import { ThemeNameDialog } from './theme-name-dialog.tsx'
import type { ThemePreview } from './use-theme-preview.ts'

interface UploadThemeProps {
  readonly file: File
  readonly preview: ThemePreview
  readonly onClose: () => void
}

/** Reads a theme from a file, previews it and adds it to the panel. */
export function UploadTheme({ file, preview, onClose }: UploadThemeProps) {
  const t = useT()
  const { fileSize } = useFormatters()
  const { data } = useQuery({
    queryKey: ['theme file', file.name, file.size, file.lastModified],
    queryFn: () => readFile(file),
    gcTime: 0,
    staleTime: 0,
    retry: false,
  })
  const title = t('settings.ThemeUploadTitle', { file: file.name })
  if (data && !('problem' in data)) return <UploadForm title={title} preview={preview} onClose={onClose} file={data} />
  return (
    <Modal opened onClose={onClose} title={title}>
      {!data ? (
        <Skeleton h={120} />
      ) : (
        <Stack>
          <Alert type="error">
            {t(`settings.ThemeProblem_${data.problem}`, {
              detail: data.detail,
              max: fileSize(data.problem === 'cssTooLarge' ? maxCssBytes : tarLimits.archiveBytes),
            })}
          </Alert>
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              {t('common.Close')}
            </Button>
          </Group>
        </Stack>
      )}
    </Modal>
  )
}

interface UploadFormProps extends Omit<UploadThemeProps, 'file'> {
  readonly title: string
  readonly file: ThemeFile
}

function UploadForm({ title, file, preview, onClose }: UploadFormProps) {
  const t = useT()
  const { list } = useFormatters()
  const queries = useQueryClient()
  const { data: themes = [] } = useApiQuery(listThemes)
  const upload = useApiMutation(putTheme, { invalidates: [listThemes, getConfig] })
  const { start, stop } = preview
  useEffect(() => {
    // The panel has not checked the CSS of the file yet.
    void start(file.name, { ...file.theme, css: '' })
    return stop
  }, [file, start, stop])

  const send = async (name: string) => {
    const { leftOut } = await upload.mutateAsync({ params: { name }, body: { archive: file.archive } })
    await queries.invalidateQueries({ queryKey: ['theme', name] })
    const detail = leftOut.length > 0 ? t('settings.ThemeLeftOut', { list: list(leftOut) }) : undefined
    toast.success(t('settings.ThemeUploaded', { name }), detail === undefined ? {} : { detail })
  }
  return (
    <ThemeNameDialog
      title={title}
      send={send}
      onClose={onClose}
      initialName={file.name}
      action={t('settings.ThemeUpload')}
    >
      {themes.some(({ name, isBundled }) => name === file.name && !isBundled) && (
        <Alert type="warning">{t('settings.ThemeReplaces', { name: file.name })}</Alert>
      )}
      <Group justify="space-between">
        <Text c="dimmed" fz="sm">
          {t('settings.ThemePreviewing')}
        </Text>
        <ContrastBadge palettes={file.theme.palettes} />
      </Group>
    </ThemeNameDialog>
  )
}

interface ThemeFile {
  readonly name: string
  /** In Base64. */
  readonly archive: string
  readonly theme: Theme
}

async function readFile(file: File): Promise<ThemeFile | Pick<ThemeError, 'problem' | 'detail'>> {
  if (file.size > tarLimits.archiveBytes) return { problem: 'archiveTooLarge', detail: '' }
  const bytes = new Uint8Array(await file.arrayBuffer())
  try {
    return { name: toName(file.name), archive: toBase64(bytes), theme: readTheme(bytes) }
  } catch (error) {
    if (error instanceof ThemeError) return error
    throw error
  }
}

const toName = (fileName: string) =>
  fileName
    .replace(/\.tar$/i, '')
    .replace(/[^\w .-]/g, ' ')
    .trim()
    .slice(0, 40)
    .trim()

function toBase64(bytes: Uint8Array): string {
  // One call with all bytes as arguments would be too many.
  const parts = Array.from({ length: Math.ceil(bytes.length / 8192) }, (_, index) =>
    String.fromCharCode(...bytes.subarray(index * 8192, (index + 1) * 8192)),
  )
  return btoa(parts.join(''))
}
