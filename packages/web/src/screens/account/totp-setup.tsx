import { confirmOtp, getOtp, listSessions, type startOtp } from '@innkeeper/contract/accounts/account'
import { listSshKeys } from '@innkeeper/contract/accounts/ssh-keys'
import type { ResponseOf } from '@innkeeper/contract/api/endpoint'
import { getSelf } from '@innkeeper/contract/settings/panel'
import { Avatar, Box, Button, Checkbox, Code, Divider, Group, Paper, Stack, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { isRefusal } from '../../api/request.ts'
import { useApiMutation } from '../../api/use-action.ts'
import { useApiQuery } from '../../api/use-api.ts'
import { SaveForm } from '../../forms/save-form.tsx'
import { useSubmitForm } from '../../forms/use-submit-form.ts'
import { useT } from '../../i18n/i18n.tsx'
import { useFormatters } from '../../i18n/use-formatters.ts'
import { Alert } from '../../ui/feedback/alert.tsx'
import { OtpInput, otpDigits } from '../../ui/fields/otp-input.tsx'
import { CopyTextButton } from '../../ui/text/copy-button.tsx'

interface TotpSetupProps {
  readonly started: ResponseOf<typeof startOtp>
  readonly onCancel: () => void
  readonly onDone: (recoveryCodes: readonly string[]) => void
}

interface ConfirmValues {
  /** The code of the authenticator app. */
  readonly token: string
  readonly keepSshKeys: boolean
}

/** Shows the secret for an authenticator app and turns two-factor on with a first code. */
export function TotpSetup({ started: { secret, img }, onCancel, onDone }: TotpSetupProps) {
  const t = useT()
  const confirm = useApiMutation(confirmOtp, { invalidates: [getOtp, listSessions, listSshKeys, getSelf] })
  const keys = useApiQuery(listSshKeys)
  const form = useSubmitForm<ConfirmValues, ResponseOf<typeof confirmOtp>>({
    initialValues: { token: '', keepSshKeys: false },
    confirmingSecrets: ['token'],
    // A code is only valid for a short time.
    isGuarded: false,
    fieldByCode: { ErrInvalidCredentials: 'token' },
    messages: { ErrInvalidCredentials: t('two-factor.WrongCode') },
    send: (body) => confirm.mutateAsync({ body }),
    handleError: (error) => {
      // The next code is typed from the start.
      if (isRefusal(error, 'ErrInvalidCredentials')) form.set({ token: '' })
      return false
    },
    onSaved: ({ recoveryCodes }) => onDone(recoveryCodes),
  })
  const { token } = form.values
  return (
    <SaveForm form={form} isInCard aria-label={t('two-factor.SetUp')}>
      <Group align="flex-start" gap="xl" p={{ base: 'md', sm: 'lg' }}>
        <Paper
          component="img"
          src={img}
          alt={t('two-factor.QrCode')}
          w={204}
          h={204}
          p="sm"
          mx={{ base: 'auto', sm: 0 }}
          bg="white"
        />
        <Stack component="ol" flex="1 1 18rem">
          <Step number={1} title={<Text fw={600}>{t('two-factor.Scan')}</Text>}>
            <Text variant="note">{t('two-factor.ScanHint')}</Text>
          </Step>
          <Step number={2} title={<Text fw={600}>{t('two-factor.OrType')}</Text>}>
            <Secret secret={secret} />
          </Step>
          <Step
            number={3}
            title={
              <Text fw={600} aria-hidden>
                {t('two-factor.EnterShown')}
              </Text>
            }
          >
            <Box>
              <OtpInput
                label={t('two-factor.EnterShown')}
                data-path="token"
                value={token}
                isInvalid={form.errors.token !== undefined}
                onChange={(digits) => form.set({ token: digits })}
              />
            </Box>
            {form.errors.token !== undefined && <Alert type="error">{form.errors.token}</Alert>}
          </Step>
        </Stack>
      </Group>
      {keys.data !== undefined && keys.data.length > 0 && (
        <Checkbox
          px="md"
          pb="md"
          label={t('two-factor.KeepKeys', { count: keys.data.length })}
          description={t('two-factor.KeepKeysHow')}
          {...form.switchField('keepSshKeys')}
        />
      )}
      <Divider />
      <Group justify="flex-end" gap="xs" px="md" py="sm">
        <Text flex="1 1 12rem" variant="note">
          {t('two-factor.AskedAtEverySignIn')}
        </Text>
        <Button variant="subtle" onClick={onCancel} disabled={form.isSaving}>
          {t('common.Cancel')}
        </Button>
        <Button type="submit" loading={form.isSaving} disabled={token.length < otpDigits}>
          {t('two-factor.TurnOn')}
        </Button>
      </Group>
    </SaveForm>
  )
}

function Step({ number: position, title, children }: { number: number; title: ReactNode; children: ReactNode }) {
  const { number } = useFormatters()
  return (
    <Group component="li" gap="sm" align="flex-start" wrap="nowrap">
      <Avatar size="1.5rem" aria-hidden>
        {number(position)}
      </Avatar>
      <Stack gap="xs" flex={1} miw={0}>
        {title}
        {children}
      </Stack>
    </Group>
  )
}

function Secret({ secret }: { secret: string }) {
  const t = useT()
  return (
    <Group gap="xs">
      <Code
        flex="1 1 12rem"
        maw="24rem"
        px="sm"
        py="xs"
        fz="compact"
        bg="var(--ik-body)"
        bd="1px solid var(--ik-field-border)"
        dir="ltr"
        style={{ userSelect: 'all' }}
      >
        {groupByFour(secret)}
      </Code>
      <CopyTextButton size="xs" value={secret} text={t('common.Copy')} label={t('two-factor.CopySecret')} />
    </Group>
  )
}

/** `KB6X 5T2J Q4WL`: easier to read aloud and to type. */
export function groupByFour(secret: string): string {
  return secret.match(/.{1,4}/g)?.join(' ') ?? ''
}
