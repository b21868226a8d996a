import { Button, Group, List, Stack, TextInput } from '@mantine/core'
import { useState } from 'react'
import { useT } from '../../../i18n/i18n.tsx'
import { useFormatters } from '../../../i18n/use-formatters.ts'
import { DialogButtons } from '../../../ui/overlays/dialog-buttons.tsx'
import { TypeToConfirm } from '../../../ui/overlays/type-to-confirm.tsx'
import { TagsField } from '../tags/tags-field.tsx'
import { type BulkAction, type BulkPlan, needsTypedNumber, skipReasons } from './bulk-plan.ts'

/** What an action needs to know besides the servers. */
export interface BulkInput {
  readonly command: string
  readonly add: readonly string[]
  readonly remove: readonly string[]
}

/** How many names the dialog lists. */
const maxListedNames = 5

interface BulkFormProps {
  readonly action: BulkAction
  readonly plan: BulkPlan
  readonly knownTags: readonly string[]
  readonly onCancel: () => void
  readonly onSubmit: (input: BulkInput) => void
}

/** The question before an action on many servers: which they are, which are left out and why, and what to send. */
export function BulkForm({ action, plan, knownTags, onCancel, onSubmit }: BulkFormProps) {
  const t = useT()
  const { list } = useFormatters()
  const [input, setInput] = useState<BulkInput>({ command: '', add: [], remove: [] })
  const [number, setNumber] = useState('')
  const { targets, skipped } = plan
  const count = targets.length
  const needsNumber = needsTypedNumber(action, count)
  const hasInput =
    action === 'command'
      ? input.command.trim() !== ''
      : action === 'tags'
        ? input.add.length + input.remove.length > 0
        : true
  const canSubmit = count > 0 && hasInput && (!needsNumber || number.trim() === String(count))
  const names = targets.slice(0, maxListedNames).map(({ name }) => name)
  const others = count - names.length
  const hasField = action === 'command' || action === 'tags' || needsNumber

  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        if (canSubmit) onSubmit(input)
      }}
    >
      <Stack gap="md">
        <Stack gap="xs" fz="sm" c="dimmed">
          <p>
            {count === 0
              ? t(action === 'command' ? 'servers.NoneToCommand' : `servers.NoneTo_${action}`)
              : list(others === 0 ? names : [...names, t('servers.MoreNames', { count: others })])}
          </p>
          {count > 0 && action === 'kill' && <p>{t('servers.KillWarning')}</p>}
          {count > 0 && action === 'install' && <p>{t('servers.InstallWarning')}</p>}
        </Stack>
        {skipped.length > 0 && (
          <List size="sm" c="dimmed">
            {skipReasons.map((reason) => {
              const left = skipped.filter((skippedServer) => skippedServer.reason === reason).length
              return left > 0 && <List.Item key={reason}>{t(`servers.Skipped_${reason}`, { count: left })}</List.Item>
            })}
          </List>
        )}
        {count > 0 && action === 'command' && (
          <TextInput
            data-autofocus
            label={t('console.Command')}
            value={input.command}
            autoComplete="off"
            autoCapitalize="off"
            spellCheck={false}
            dir="ltr"
            onChange={(event) => setInput({ ...input, command: event.currentTarget.value })}
          />
        )}
        {count > 0 && action === 'tags' && (
          <>
            <TagsField
              data-autofocus
              label={t('servers.TagsAdd')}
              knownTags={knownTags}
              value={input.add}
              onChange={(add) => setInput({ ...input, add })}
            />
            <TagsField
              label={t('servers.TagsRemove')}
              knownTags={knownTags}
              value={input.remove}
              onChange={(remove) => setInput({ ...input, remove })}
            />
          </>
        )}
        {needsNumber && (
          <TextInput
            data-autofocus={action !== 'command' || undefined}
            label={<TypeToConfirm text={String(count)} />}
            value={number}
            inputMode="numeric"
            autoComplete="off"
            dir="ltr"
            onChange={(event) => setNumber(event.currentTarget.value)}
          />
        )}
        {count === 0 ? (
          <Group justify="flex-end">
            <Button data-autofocus variant="default" onClick={onCancel}>
              {t('common.Close')}
            </Button>
          </Group>
        ) : (
          <DialogButtons
            onCancel={onCancel}
            type="submit"
            disabled={!canSubmit}
            color={action === 'kill' ? 'red' : undefined}
            data-autofocus={(!hasField && action !== 'kill') || undefined}
          >
            {t(action === 'command' ? 'servers.CommandSend' : `servers.Bulk_${action}`, { count })}
          </DialogButtons>
        )}
      </Stack>
    </form>
  )
}
