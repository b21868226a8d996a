import {
  argumentsOfType,
  type PlayerActionType,
  playerActionTypes,
} from '@innkeeper/contract/definitions/player-actions'
import { NativeSelect, Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import { useT } from '../../i18n/i18n.tsx'
import { codeInputProps } from '../../ui/fields/code-input.ts'
import { getPlayerActions, setPlayerCommand } from './draft.ts'
import { getText } from './json-path.ts'
import { SectionCard, type SectionProps } from './section-card.tsx'
import { issueMessage, type ValidationIssue } from './validation.ts'

interface PlayerActionsCardProps extends SectionProps {
  readonly issues: readonly ValidationIssue[]
}

/** The console commands of actions on players. */
export function PlayerActionsCard({ raw, onChange, issues }: PlayerActionsCardProps) {
  const t = useT()
  const actions = getPlayerActions(raw)
  // An action whose command is empty is not in the definition.
  const [added, setAdded] = useState<readonly PlayerActionType[]>([])
  const isShown = (type: PlayerActionType) => added.includes(type) || actions.some((action) => action.type === type)
  const others = playerActionTypes.filter((type) => !isShown(type))
  return (
    <SectionCard section="players">
      <Text c="dimmed">{t('definition.PlayersHelp')}</Text>
      {playerActionTypes.filter(isShown).map((type) => {
        const index = actions.findIndex((action) => action.type === type)
        const path = `players.actions.${index}.`
        const issue = issues.find((one) => one.path.startsWith(path))
        const isRule = issue?.path === `${path}command`
        const error = isRule ? t('definition.PlayerCommandRule') : issue && issueMessage(t, issue)
        return (
          <TextInput
            key={type}
            label={t(`players.Do_${type}`)}
            description={<bdi>{argumentsOfType[type].map((name) => `{${name}}`).join(' ')}</bdi>}
            {...codeInputProps}
            value={index < 0 ? '' : getText(actions[index] ?? {}, ['command'])}
            error={error}
            onChange={({ currentTarget }) => {
              setAdded([...added.filter((other) => other !== type), type])
              onChange(setPlayerCommand(raw, type, currentTarget.value))
            }}
          />
        )
      })}
      {others.length > 0 && (
        <NativeSelect
          aria-label={t('definition.AddPlayerAction')}
          w="fit-content"
          value=""
          data={[
            { value: '', label: t('definition.AddPlayerAction') },
            ...others.map((type) => ({ value: type, label: t(`players.Do_${type}`) })),
          ]}
          onChange={({ currentTarget: { value } }) => {
            const type = others.find((other) => other === value)
            if (type) setAdded([...added, type])
          }}
        />
      )}
    </SectionCard>
  )
}
