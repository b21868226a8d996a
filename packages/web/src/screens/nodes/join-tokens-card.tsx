import { createJoinToken, type JoinToken, listJoinTokens, revokeJoinToken } from '@innkeeper/contract/nodes/join-tokens'
import { Button, Group, Paper, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { useApiMutation } from '../../api/use-action.ts'
import { useApiQuery } from '../../api/use-api.ts'
import { useT } from '../../i18n/i18n.tsx'
import { useFormatters } from '../../i18n/use-formatters.ts'
import { Alert } from '../../ui/feedback/alert.tsx'
import { NumberField } from '../../ui/fields/number-field.tsx'
import { CardHeader } from '../../ui/lists/card-header.tsx'
import { CodeBlock } from '../../ui/text/code-block.tsx'
import { CopyTextButton } from '../../ui/text/copy-button.tsx'
import { getConfigCommand } from './config-command.ts'

/** Tokens with which many machines join. */
export function JoinTokensCard() {
  const t = useT()
  const [uses, setUses] = useState(10)
  const [days, setDays] = useState(7)
  const { data: tokens = [] } = useApiQuery(listJoinTokens, {})
  /** Shown once. */
  const [config, setConfig] = useState<string>()
  const create = useApiMutation(createJoinToken, {
    invalidates: [listJoinTokens],
    onSuccess: (created) => setConfig(created.config),
  })
  return (
    <Paper component="section" aria-label={t('nodes.JoinTokens')}>
      <CardHeader title={t('nodes.JoinTokens')} description={t('nodes.JoinTokensAbout')} />
      <Stack p="md" gap="sm">
        <Group gap="sm" align="flex-end">
          <NumberField label={t('nodes.JoinUses')} value={uses} min={1} max={1_000} onChange={setUses} />
          <NumberField label={t('nodes.JoinDays')} value={days} min={1} max={365} onChange={setDays} />
          <Button
            variant="default"
            loading={create.isPending}
            onClick={() => create.mutate({ body: { uses, hours: days * 24 } })}
          >
            {t('nodes.CreateJoinToken')}
          </Button>
        </Group>
        {config !== undefined && (
          <Alert type="success" role="status">
            {t('nodes.JoinTokenOnce')}
            <CodeBlock>{config.trimEnd()}</CodeBlock>
            <CopyTextButton size="xs" value={getConfigCommand(config)} text={t('nodes.CopyCommand')} />
          </Alert>
        )}
        {tokens.length > 0 && (
          <Stack component="ul" gap="xs">
            {tokens.map((token) => (
              <JoinTokenRow key={token.id} token={token} />
            ))}
          </Stack>
        )}
      </Stack>
    </Paper>
  )
}

function JoinTokenRow({ token: { id, uses, usesLeft, expiresAt, createdBy } }: { token: JoinToken }) {
  const t = useT()
  const { dateTime } = useFormatters()
  const revoke = useApiMutation(revokeJoinToken, { invalidates: [listJoinTokens] })
  return (
    <Group component="li" gap="xs">
      <Stack gap={0} flex="1 1 14rem" miw={0} style={{ overflowWrap: 'anywhere' }}>
        <Text fw={500}>{t('nodes.JoinUsesLeft', { left: usesLeft, count: uses })}</Text>
        <Text variant="note">
          {t('nodes.JoinTokenDetails', { id, time: dateTime(Date.parse(expiresAt)), name: createdBy })}
        </Text>
      </Stack>
      <Button
        size="xs"
        variant="default"
        loading={revoke.isPending}
        aria-label={t('nodes.RevokeJoinTokenNamed', { id })}
        onClick={() => revoke.mutate({ params: { token: id } })}
      >
        {t('nodes.RevokeJoinToken')}
      </Button>
    </Group>
  )
}
