import { getConfig } from '@innkeeper/contract/panel'
import { listSettings } from '@innkeeper/contract/settings'
import { deleteTheme, listThemes, type ThemeInfo } from '@innkeeper/contract/themes'
import { Badge, Button, Group, Stack, Text } from '@mantine/core'
import { IconPencil, IconTrash } from '@tabler/icons-react'
import { useState } from 'react'
import { useApiMutation } from '../../../api/use-api-mutation.ts'
import { ThemeSwatches, useTheme } from '../../../features/appearance/theme-swatches.tsx'
import { useFormatters, useT } from '../../../i18n/i18n.tsx'
import { useConfirm } from '../../../ui/confirm.ts'
import { IconButton } from '../../../ui/icon-button.tsx'
import { lazyOverlay } from '../../../ui/lazy-overlay.tsx'
import { toast } from '../../../ui/toast.tsx'
import { ContrastBadge } from './contrast-badge.tsx'
import type { ThemePreview } from './use-theme-preview.ts'

const RenameTheme = lazyOverlay(async () => (await import('./rename-theme.tsx')).RenameTheme)

export function ThemeRow({ theme, preview }: { theme: ThemeInfo; preview: ThemePreview }) {
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
  const confirmAndRemove = async () => {
    const isConfirmed = await confirm({
      title: t('settings.ThemeRemoveTitle', { name }),
      body: t('settings.ThemeRemoveBody'),
      action: t('settings.ThemeRemove'),
    })
    if (isConfirmed) remove.mutate({ params: { name } })
  }
  return (
    <Group gap="2xs">
      <IconButton label={t('common.RenameNamed', { name })} onClick={() => setIsRenaming(true)}>
        <IconPencil size={17} aria-hidden />
      </IconButton>
      <IconButton label={t('common.RemoveNamed', { name })} onClick={() => void confirmAndRemove()}>
        <IconTrash size={17} aria-hidden />
      </IconButton>
      {isRenaming && <RenameTheme name={name} onClose={() => setIsRenaming(false)} />}
    </Group>
  )
}
