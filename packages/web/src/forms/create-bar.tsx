import { Button, Divider, Group } from '@mantine/core'
import { Link } from 'react-router'
import { useT } from '../i18n/i18n.tsx'

interface CreateBarProps {
  /** Label of the button that submits the form. */
  readonly action: string
  readonly isSaving: boolean
  readonly canSave?: boolean
  /** Where Cancel leads. */
  readonly cancelTo: string
}

/** The end of a card whose form creates something. The form of something that exists ends with a `SaveBar`. */
export function CreateBar({ action, isSaving, canSave = true, cancelTo }: CreateBarProps) {
  const t = useT()
  return (
    <>
      <Divider />
      <Group justify="flex-end" gap="xs" px="md" py="sm">
        <Button component={Link} to={cancelTo} variant="subtle">
          {t('common.Cancel')}
        </Button>
        <Button type="submit" loading={isSaving} disabled={!canSave}>
          {action}
        </Button>
      </Group>
    </>
  )
}
