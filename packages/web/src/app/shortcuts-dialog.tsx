import { Anchor, Box, Divider, Group, Modal, Stack, Text, TextInput, Title } from '@mantine/core'
import { IconSearch } from '@tabler/icons-react'
import { useState } from 'react'
import { Link } from 'react-router'
import { useAvailableHotkeys } from '../hotkeys/hotkeys.tsx'
import { keyName, Shortcut } from '../hotkeys/shortcut.tsx'
import { useT } from '../i18n/i18n.tsx'
import classes from './shortcuts-dialog.module.css'

/** All keys that do something on the current page. */
export function ShortcutsDialog({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  const t = useT()
  const [query, setQuery] = useState('')
  const hotkeys = useAvailableHotkeys()
  const anywhere = t('hotkeys.Anywhere')
  const shortcuts = [
    { label: t('common.SearchOrRun'), keys: 'Mod K', group: anywhere },
    { label: t('hotkeys.SaveForm'), keys: 'Mod S', group: anywhere },
    { label: t('hotkeys.CloseIt'), keys: 'Esc', group: anywhere },
    { label: t('hotkeys.GoToMessages'), keys: 'F6', group: anywhere },
    ...hotkeys.flatMap(({ label, keys, group }) => (keys ? [{ label, keys, group }] : [])),
  ]
  const keyNames = (keys: string) =>
    keys
      .split(' ')
      .map((key) => keyName(t, key))
      .join(' ')
  const normalizedQuery = query.trim().toLocaleLowerCase()
  const groups = Map.groupBy(
    shortcuts.filter(({ label, keys }) => `${label} ${keyNames(keys)}`.toLocaleLowerCase().includes(normalizedQuery)),
    ({ group }) => group,
  )

  return (
    <Modal opened={opened} onClose={onClose} size={940} title={t('common.KeyboardShortcuts')}>
      <TextInput
        data-autofocus
        maw="20rem"
        // Below the head of the dialog, which would cover the focus ring.
        pt="2xs"
        aria-label={t('hotkeys.Find')}
        placeholder={t('hotkeys.Find')}
        leftSection={<IconSearch size={15} aria-hidden />}
        value={query}
        onChange={(event) => setQuery(event.currentTarget.value)}
      />
      {groups.size === 0 && (
        <Text my="md" c="dimmed">
          {t('common.NothingMatches', { query })}
        </Text>
      )}
      <Box className={classes.groups} my="md">
        {[...groups].map(([group, entries]) => (
          <Box component="section" key={group} mb="sm">
            <Title order={3} fz="compact" c="dimmed" pt="xs" pb="2xs">
              {group}
            </Title>
            <Stack component="ul" gap={0}>
              {entries.map(({ label, keys }) => (
                <Group component="li" key={keys} gap="md" mih="2rem" wrap="nowrap" justify="space-between" fz="compact">
                  <span>{label}</span>
                  <Shortcut keys={keys} />
                </Group>
              ))}
            </Stack>
          </Box>
        ))}
      </Box>
      <Divider />
      <Group justify="space-between" gap="md" pt="sm" fz="compact" c="dimmed">
        <span>{t('hotkeys.Note')}</span>
        <Anchor component={Link} to="/account" inherit onClick={onClose}>
          {t('hotkeys.ChangeInAccount')}
        </Anchor>
      </Group>
    </Modal>
  )
}
