import { Button, Group, Paper, Stack, Text, Title } from '@mantine/core'
import { IconFileZip, IconFolderUp } from '@tabler/icons-react'
import { getDroppedItems, type PickedItem } from '../../features/uploads/items.ts'
import { usePicker } from '../../features/uploads/use-picker.tsx'
import { useT } from '../../i18n/i18n.tsx'
import { Alert } from '../../ui/feedback/alert.tsx'
import { DropArea } from '../../ui/fields/drop-area.tsx'
import type { ServerDraft } from './draft.ts'

interface ExistingServerCardProps {
  readonly existing: ServerDraft['existing']
  /** Whether the files are still selected: a reload forgets them. */
  readonly hasFiles: boolean
  /** The name of the last selection without a known server. */
  readonly unknown: string | undefined
  /** The display name of the template. */
  readonly templateName: string
  readonly isReading: boolean
  readonly onPick: (items: readonly PickedItem[]) => void
  readonly onDiscard: () => void
}

/** Accepts the folder or zip of a Minecraft server, which decides the template. */
export function ExistingServerCard(props: ExistingServerCardProps) {
  const { existing, hasFiles, unknown, templateName, isReading, onPick, onDiscard } = props
  const t = useT()
  const picker = usePicker(onPick)
  const drop = (data: DataTransfer) => {
    const items = getDroppedItems(data)
    if (items.length > 0) onPick(items)
  }
  return (
    <Paper p="md">
      {picker.inputs}
      <DropArea isDisabled={isReading} onDrop={drop}>
        <Group gap="sm">
          <Stack gap="3xs" flex="1 1 16rem" miw={0}>
            <Title order={2} fz="sm">
              {t('add-server.Existing')}
            </Title>
            <Text variant="note">{t('add-server.ExistingHelp')}</Text>
          </Stack>
          <Group gap="xs">
            <Button
              variant="default"
              loading={isReading}
              leftSection={<IconFolderUp size={17} aria-hidden />}
              onClick={picker.pickFolder}
            >
              {t('add-server.ExistingFolder')}
            </Button>
            <Button
              variant="default"
              disabled={isReading}
              leftSection={<IconFileZip size={17} aria-hidden />}
              onClick={picker.pickFiles}
            >
              {t('add-server.ExistingZip')}
            </Button>
          </Group>
        </Group>
        {existing && (
          <Alert
            type={hasFiles ? 'success' : 'warning'}
            role="status"
            action={
              <Button size="xs" variant="subtle" onClick={onDiscard}>
                {t('common.Discard')}
              </Button>
            }
          >
            {hasFiles
              ? t('add-server.ExistingFound', { name: existing.name, template: templateName })
              : t('add-server.ExistingMissing', { name: existing.name })}
          </Alert>
        )}
        {unknown !== undefined && (
          <Alert type="warning" role="status">
            {t('add-server.ExistingUnknown', { name: unknown })}
          </Alert>
        )}
      </DropArea>
    </Paper>
  )
}
