import type { PlayerArgumentName } from '@innkeeper/contract/definitions/player-actions'
import { type OfferedPlayerAction, playerActionEndpoints } from '@innkeeper/contract/servers/player-actions'
import { getPlayers } from '@innkeeper/contract/servers/players'
import { Text, TextInput } from '@mantine/core'
import { request } from '../../api/request.ts'
import { useAction } from '../../api/use-action.ts'
import { SubmitDialog } from '../../forms/form-dialogs.tsx'
import { useSubmitForm } from '../../forms/use-submit-form.ts'
import { type TranslationKey, useT } from '../../i18n/i18n.tsx'
import { toast } from '../../ui/toasts/toast.tsx'
import { type ChosenAction, isSevere } from './actions.ts'

type Values = Readonly<Record<PlayerArgumentName, string>>

const labels = {
  player: 'players.Player',
  reason: 'players.Reason',
  message: 'players.Message',
} as const satisfies Readonly<Record<PlayerArgumentName, TranslationKey>>

interface PlayerActionDialogProps extends ChosenAction {
  readonly server: string
  readonly onClose: () => void
}

/** Asks for the arguments of an action and sends it, which also confirms it. */
export function PlayerActionDialog({ server, action, player = '', onClose }: PlayerActionDialogProps) {
  const t = useT()
  const { type } = action
  const { mutateAsync } = useAction((values: Values) => sendAction(server, action, values), {
    invalidates: [getPlayers],
  })
  const form = useSubmitForm<Values>({
    initialValues: { player, reason: '', message: '' },
    isGuarded: false,
    getLabel: (field) => t(labels[field]),
    send: mutateAsync,
    onSaved: () => {
      toast.success(t('players.Sent'))
      onClose()
    },
  })
  const label = t(`players.Do_${type}`)
  const fields = action.arguments.filter(({ name }) => name !== 'player' || player === '')
  return (
    <SubmitDialog
      form={form}
      title={player === '' ? label : t('players.DoFor', { action: label, player })}
      action={label}
      isDestructive={isSevere(type)}
      onClose={onClose}
    >
      <Text c="dimmed">{t(`players.About_${type}`)}</Text>
      {fields.map(({ name, isRequired, maxLength }, index) => {
        const help = name === 'reason' && { description: t('players.ReasonHelp') }
        return (
          <TextInput
            key={name}
            data-autofocus={index === 0 || undefined}
            label={t(labels[name])}
            {...help}
            required={isRequired}
            maxLength={maxLength}
            autoComplete="off"
            {...form.field(name)}
          />
        )
      })}
    </SubmitDialog>
  )
}

/** Sends the arguments that the action has. An empty reason is none. */
function sendAction(server: string, { type, arguments: all }: OfferedPlayerAction, values: Values): Promise<unknown> {
  const given = all.filter(({ name, isRequired }) => isRequired || values[name].trim() !== '')
  const body = Object.fromEntries(given.map(({ name }) => [name, values[name]])) as Values
  return request(playerActionEndpoints[type], { params: { id: server }, body })
}
