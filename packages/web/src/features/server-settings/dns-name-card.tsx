import { refusalFrom } from '@innkeeper/contract/errors/refusal-envelope'
import {
  DnsLabel,
  type DnsName,
  type DnsRecords,
  deleteDnsName,
  getDnsName,
  putDnsName,
  writeDnsName,
} from '@innkeeper/contract/servers/dns-names'
import type { ServerView } from '@innkeeper/contract/servers/servers'
import { Box, Button, Group, Paper, Stack, Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import { useApiMutation } from '../../api/use-action.ts'
import { useApiQuery } from '../../api/use-api.ts'
import { SubmitDialog } from '../../forms/form-dialogs.tsx'
import { useSubmitForm } from '../../forms/use-submit-form.ts'
import { useT } from '../../i18n/i18n.tsx'
import { CardHeader } from '../../ui/lists/card-header.tsx'
import { QueryState } from '../../ui/loading/query-state.tsx'
import { useConfirm } from '../../ui/overlays/confirm.ts'
import { CodeText } from '../../ui/text/code-text.tsx'
import { CopyButton } from '../../ui/text/copy-button.tsx'
import { errorMessage } from '../../ui/text/error-message.ts'
import { RelativeTime } from '../../ui/text/relative-time.tsx'
import { toast } from '../../ui/toasts/toast.tsx'

/** Interval of looks whether the records of a name are written. */
const pollMs = 5_000

/** The DNS name of a server, and whether the name server has it as it should be. Hidden without a zone. */
export function DnsNameCard({ server }: { readonly server: ServerView }) {
  const t = useT()
  const query = useApiQuery(
    getDnsName,
    { params: { id: server.id } },
    { refetchInterval: pollMs, meta: { quiet: true } },
  )
  const [isOpen, setIsOpen] = useState(false)
  const { zone, name, proposal = '' } = query.data ?? {}
  if (zone === undefined) return null
  return (
    <Box maw="61.25rem" p={{ base: 'sm', sm: 0 }} mt="md">
      <Paper component="section" aria-label={t('server.DnsTitle')}>
        <CardHeader title={t('server.DnsTitle')} description={t('server.DnsAbout', { zone })}>
          <Button size="xs" variant="default" onClick={() => setIsOpen(true)}>
            {t(name ? 'server.DnsChange' : 'server.DnsGive')}
          </Button>
        </CardHeader>
        <QueryState query={query} errorTitle={t('server.DnsFailed')}>
          {(data) =>
            data.name ? (
              <NameDetails server={server.id} name={data.name} />
            ) : (
              <Text p="md" c="dimmed">
                {t('server.DnsNone')}
              </Text>
            )
          }
        </QueryState>
        {isOpen && (
          <NameDialog
            server={server.id}
            zone={zone}
            label={name?.label ?? proposal}
            isNew={!name}
            onClose={() => setIsOpen(false)}
          />
        )}
      </Paper>
    </Box>
  )
}

const colors = {
  waiting: 'var(--ik-info)',
  correct: 'var(--ik-online)',
  differs: 'var(--ik-warning)',
  failed: 'var(--ik-offline)',
} as const satisfies Record<DnsName['state'], string>

const format = ({ name, type, values }: DnsRecords) => `${name} ${type} ${values.join(', ')}`

function NameDetails({ server, name }: { readonly server: string; readonly name: DnsName }) {
  const t = useT()
  const confirm = useConfirm()
  const write = useApiMutation(writeDnsName, {
    invalidates: [getDnsName],
    onSuccess: () => toast.success(t('server.DnsWritten')),
  })
  const remove = useApiMutation(deleteDnsName, {
    invalidates: [getDnsName],
    onSuccess: () => toast.success(t('server.DnsRemoved')),
  })
  const ask = () =>
    confirm({
      title: t('server.DnsRemoveQuestion', { name: name.name }),
      body: t('server.DnsRemoveBody'),
      action: t('server.DnsRemove'),
      onConfirm: () => remove.mutate({ params: { id: server } }),
    })
  const found = name.found?.map(format).join('; ') || t('server.DnsFoundNothing')
  return (
    <Stack p="md" gap="xs" style={{ overflowWrap: 'anywhere' }}>
      <Group gap="2xs">
        <CodeText>{name.name}</CodeText>
        <CopyButton value={name.name} label={t('server.DnsCopy', { name: name.name })} />
        <Text span fw={500} c={colors[name.state]} role="status">
          {t(`server.DnsState_${name.state}`)}
        </Text>
      </Group>
      <Stack component="ul" gap={0}>
        {name.records.map((records) => (
          <li key={format(records)}>
            <CodeText>{format(records)}</CodeText>
          </li>
        ))}
      </Stack>
      {name.state === 'differs' && <Text c="var(--ik-warning)">{t('server.DnsFound', { records: found })}</Text>}
      {name.error && <Text c="var(--ik-offline)">{errorMessage(t, refusalFrom({ error: name.error }))}</Text>}
      {name.checkedAt !== undefined && (
        <Text variant="note">
          {t('server.DnsChecked')} <RelativeTime time={name.checkedAt} />
        </Text>
      )}
      <Group gap="xs">
        <Button
          size="xs"
          variant="default"
          loading={write.isPending}
          onClick={() => write.mutate({ params: { id: server } })}
        >
          {t('server.DnsWriteAgain')}
        </Button>
        <Button size="xs" variant="default" c="var(--ik-offline)" loading={remove.isPending} onClick={() => void ask()}>
          {t('server.DnsRemove')}
        </Button>
      </Group>
    </Stack>
  )
}

interface NameDialogProps {
  readonly server: string
  readonly zone: string
  /** The name that it has, or that is proposed. */
  readonly label: string
  readonly isNew: boolean
  readonly onClose: () => void
}

function NameDialog({ server, zone, label, isNew, onClose }: NameDialogProps) {
  const t = useT()
  const put = useApiMutation(putDnsName, { invalidates: [getDnsName] })
  const form = useSubmitForm({
    id: `dns-name-${server}`,
    initialValues: { label },
    fieldByCode: { ErrDnsNameTaken: 'label' },
    getLabel: () => t('server.DnsLabel'),
    validate: (values) => ({
      label: DnsLabel.safeParse(values.label).success ? undefined : t('server.DnsLabelInvalid'),
    }),
    send: (body) => put.mutateAsync({ params: { id: server }, body }),
    onSaved: () => {
      toast.success(t('server.DnsGiven'))
      onClose()
    },
  })
  const action = t(isNew ? 'server.DnsGive' : 'server.DnsChange')
  return (
    <SubmitDialog form={form} title={action} action={action} onClose={onClose}>
      <Text c="dimmed">{t('server.DnsDialogAbout')}</Text>
      <TextInput
        data-autofocus
        label={t('server.DnsLabel')}
        description={t('server.DnsLabelHelp', { zone })}
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        dir="ltr"
        maxLength={63}
        {...form.field('label')}
      />
    </SubmitDialog>
  )
}
