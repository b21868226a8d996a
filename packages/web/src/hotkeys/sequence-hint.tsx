import { Group, Paper } from '@mantine/core'
import { useT } from '../i18n/i18n.tsx'
import { useAvailableHotkeys, usePendingSequence } from './hotkeys.tsx'
import { Shortcut } from './shortcut.tsx'

/** After the first key of a sequence, shows which keys can follow and what they do. */
export function SequenceHint() {
  const t = useT()
  const pressed = usePendingSequence()
  const hotkeys = useAvailableHotkeys()
  const prefix = `${pressed.join(' ')} `
  const next = hotkeys.filter(({ keys }) => pressed.length > 0 && keys?.startsWith(prefix))
  const complete = hotkeys.findLast(({ keys, waitsForNextKey }) => waitsForNextKey && keys === pressed.join(' '))

  return (
    <div role="status">
      {next.length > 0 && (
        <Paper
          pos="fixed"
          bottom="5.5rem"
          left={0}
          right={0}
          mx="auto"
          w="fit-content"
          maw="calc(100vw - 2rem)"
          px="lg"
          py="sm"
          bg="var(--ik-raised)"
          shadow="xl"
          radius="xl"
          style={{ zIndex: 300, pointerEvents: 'none' }}
        >
          <Group gap="md">
            <Group gap="xs" fw={600}>
              <Shortcut keys={pressed.join(' ')} />
              {t('hotkeys.then')}
            </Group>
            {complete && <span>{t('hotkeys.OrWait', { label: complete.label })}</span>}
            {next.map(({ keys = '', label, danger }) => (
              <Group key={keys} gap="xs" c={danger ? 'var(--ik-offline)' : undefined}>
                <Shortcut keys={keys.slice(prefix.length)} />
                {label}
              </Group>
            ))}
            <Group gap="xs" fz="compact" c="var(--ik-subtle)">
              <Shortcut keys="Esc" />
              {t('common.Cancel')}
            </Group>
          </Group>
        </Paper>
      )}
    </div>
  )
}
