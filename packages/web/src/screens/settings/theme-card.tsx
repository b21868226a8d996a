import { getConfig } from '@innkeeper/contract/settings/panel'
import { listSettings } from '@innkeeper/contract/settings/settings'
import { deleteTheme, listThemes, type ThemeInfo } from '@innkeeper/contract/settings/themes'
import { tarLimits } from '@innkeeper/contract/theme/tar'
import { Badge, Box, Button, FileButton, Group, Select, Stack, Text } from '@mantine/core'
import { IconPencil, IconTrash, IconUpload } from '@tabler/icons-react'
import { useState } from 'react'
import { useApiMutation } from '../../api/use-action.ts'
import { useApiQuery } from '../../api/use-api.ts'
import { ThemeSwatches, useTheme } from '../../features/appearance/theme-swatches.tsx'
import { useThemes } from '../../features/appearance/use-themes.ts'
import { useT } from '../../i18n/i18n.tsx'
import { useFormatters } from '../../i18n/use-formatters.ts'
import { DropArea } from '../../ui/fields/drop-area.tsx'
import { RowList } from '../../ui/layout/row-list.tsx'
import { lazyOverlay } from '../../ui/loading/lazy-overlay.tsx'
import { QueryState } from '../../ui/loading/query-state.tsx'
import { IconButton } from '../../ui/menus/icon-button.tsx'
import { useConfirm } from '../../ui/overlays/confirm.ts'
import { toast } from '../../ui/toasts/toast.tsx'
import { getText, readOnlyReason } from './setting-values.ts'
import { SettingGrid, SettingsCard } from './settings-card.tsx'
import { ContrastBadge } from './themes/contrast-badge.tsx'
import { type ThemePreview, useThemePreview } from './themes/use-theme-preview.ts'
import { type LoadedSettings, useSettingsForm } from './use-settings-form.ts'

const key = 'panel.settings.defaultTheme'

interface ThemeCardProps {
  readonly id: string
  readonly loaded: LoadedSettings
  /** Administrators add and remove themes. */
  readonly canManage: boolean
}

/** The default theme of the panel, and all themes. */
export function ThemeCard({ id, loaded, canManage }: ThemeCardProps) {
  const t = useT()
  const { available } = useThemes()
  const { form, settings, draft, change } = useSettingsForm({
    id,
    loaded,
    keys: [key],
    getLabel: () => t('settings.DefaultTheme'),
  })
  const reason = readOnlyReason(settings, key)
  return (
    <SettingsCard id={id} title={t('shell.Theme')} note={t('settings.ThemeNote')} form={form}>
      <SettingGrid>
        <Select
          data-path={key}
          label={t('settings.DefaultTheme')}
          description={reason ? t(reason) : t('settings.DefaultThemeHelp')}
          error={form.errors[key]}
          readOnly={reason !== undefined}
          data={[...available]}
          value={getText(settings, draft, key) || (available[0] ?? null)}
          onChange={(theme) => change(key, theme ?? '')}
        />
      </SettingGrid>
      {canManage && (
        <Box mx="calc(var(--mantine-spacing-md) * -1)" mb="calc(var(--mantine-spacing-md) * -1)">
          <ThemeList />
        </Box>
      )}
    </SettingsCard>
  )
}

const UploadTheme = lazyOverlay(async () => (await import('./themes/upload-theme.tsx')).UploadTheme)

/** All themes: preview, upload, rename and remove. */
function ThemeList() {
  const t = useT()
  const { fileSize } = useFormatters()
  const query = useApiQuery(listThemes)
  const preview = useThemePreview()
  const [file, setFile] = useState<File>()
  return (
    <DropArea onDrop={({ files }) => setFile(files[0])}>
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
        <Text variant="caption">{t('settings.ThemeUploadHelp', { max: fileSize(tarLimits.archiveBytes) })}</Text>
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

const RenameTheme = lazyOverlay(async () => (await import('./themes/rename-theme.tsx')).RenameTheme)

function ThemeRow({ theme, preview }: { theme: ThemeInfo; preview: ThemePreview }) {
  const t = useT()
  const { list } = useFormatters()
  const { data } = useTheme(theme.name)
  const isPreviewed = preview.name === theme.name
  return (
    <Group component="li" px="md" py="xs" gap="sm">
      <ThemeSwatches name={theme.name} size={18} />
      <Stack gap={0} flex="1 1 10rem" miw={0}>
        <Text truncate>
          <bdi>{theme.name}</bdi>
        </Text>
        {theme.leftOut.length > 0 && (
          <Text variant="caption">{t('settings.ThemeLeftOut', { list: list(theme.leftOut) })}</Text>
        )}
      </Stack>
      {theme.isBundled && <Badge>{t('settings.ThemeBundled')}</Badge>}
      {data && <ContrastBadge palettes={data.palettes} />}
      <Button
        variant="default"
        size="xs"
        disabled={!data}
        aria-pressed={isPreviewed}
        aria-label={t(isPreviewed ? 'settings.ThemePreviewStopOf' : 'settings.ThemePreviewOf', { name: theme.name })}
        onClick={() => (isPreviewed ? preview.stop() : data && void preview.start(theme.name, data))}
      >
        {t(isPreviewed ? 'settings.ThemePreviewStop' : 'settings.ThemePreview')}
      </Button>
      {!theme.isBundled && <ThemeActions name={theme.name} />}
    </Group>
  )
}

function ThemeActions({ name }: { name: string }) {
  const t = useT()
  const confirm = useConfirm()
  const [isRenaming, setIsRenaming] = useState(false)
  const remove = useApiMutation(deleteTheme, {
    invalidates: [listThemes, getConfig, listSettings],
    onSuccess: () => toast.success(t('settings.ThemeRemoved', { name })),
  })
  const confirmAndRemove = () =>
    confirm({
      title: t('settings.ThemeRemoveTitle', { name }),
      body: t('settings.ThemeRemoveBody'),
      action: t('settings.ThemeRemove'),
      onConfirm: () => remove.mutate({ params: { name } }),
    })
  return (
    <Group gap="2xs">
      <IconButton label={t('common.RenameNamed', { name })} onClick={() => setIsRenaming(true)}>
        <IconPencil size={17} aria-hidden />
      </IconButton>
      <IconButton label={t('common.DeleteNamed', { name })} onClick={() => void confirmAndRemove()}>
        <IconTrash size={17} aria-hidden />
      </IconButton>
      {isRenaming && <RenameTheme name={name} onClose={() => setIsRenaming(false)} />}
    </Group>
  )
}
