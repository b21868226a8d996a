import { listThemes } from '@innkeeper/contract/themes'
import { Button, FileButton, Group, Text } from '@mantine/core'
import { IconUpload } from '@tabler/icons-react'
import { useState } from 'react'
import { useApiQuery } from '../../../api/use-api-query.ts'
import { useT } from '../../../i18n/i18n.tsx'
import { DropArea } from '../../../ui/drop-area.tsx'
import { lazyOverlay } from '../../../ui/lazy-overlay.tsx'
import { QueryState } from '../../../ui/query-state.tsx'
import { RowList } from '../../../ui/row-list.tsx'
import { ThemeRow } from './theme-row.tsx'
import { useThemePreview } from './use-theme-preview.ts'

const UploadTheme = lazyOverlay(async () => (await import('./upload-theme.tsx')).UploadTheme)

/** All themes: preview, upload, rename and remove. */
export function ThemeList() {
  const t = useT()
  const query = useApiQuery(listThemes)
  const preview = useThemePreview()
  const [file, setFile] = useState<File>()
  return (
    <DropArea onFiles={([first]) => setFile(first)}>
      <QueryState query={query} errorTitle={t('settings.ThemesFailed')} skeletonHeight={180}>
        {(themes) => (
          <RowList label={t('settings.Themes')}>
            {themes.map((theme) => (
              <ThemeRow key={theme.name} theme={theme} preview={preview} />
            ))}
          </RowList>
        )}
      </QueryState>
      <Group px="md" pb="md" justify="space-between">
        <Text variant="caption">{t('settings.ThemeUploadHelp')}</Text>
        <FileButton accept=".tar,application/x-tar" onChange={(chosen) => chosen && setFile(chosen)}>
          {(props) => (
            <Button {...props} variant="default" size="xs" leftSection={<IconUpload size={16} aria-hidden />}>
              {t('settings.ThemeUpload')}
            </Button>
          )}
        </FileButton>
      </Group>
      {file && <UploadTheme file={file} preview={preview} onClose={() => setFile(undefined)} />}
    </DropArea>
  )
}
