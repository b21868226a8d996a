import { type SettingKey, secretSettings } from '@innkeeper/contract/settings/settings'
import { Button, Fieldset, Group, Input, Stack, Text, TextInput } from '@mantine/core'
import { IconCircleCheck } from '@tabler/icons-react'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { useT } from '../../i18n/i18n.tsx'
import { codeInputProps } from '../../ui/fields/code-input.ts'
import { PasswordField } from '../../ui/fields/password-field.tsx'
import { CodeText } from '../../ui/text/code-text.tsx'
import { CopyButton } from '../../ui/text/copy-button.tsx'
import { belongsToOtherProvider, getSetting, getText, readOnlyReason } from './setting-values.ts'
import type { SettingsForm } from './use-settings-form.ts'

interface SettingFieldProps {
  readonly setting: SettingKey
  readonly state: SettingsForm
  readonly label: string
  readonly description?: ReactNode
  readonly placeholder?: string
  /** A name or address: monospaced, left to right. */
  readonly isCode?: boolean
  readonly isOptional?: boolean
  readonly type?: 'text' | 'email' | 'url'
}

/** The input of a text setting or a secret. */
export function SettingField(props: SettingFieldProps) {
  const { setting, state } = props
  // After a save or discard the field shows the saved secret again, not its input.
  return secretSettings.includes(setting) ? (
    <SecretField key={state.form.revision} {...props} />
  ) : (
    <TextField {...props} />
  )
}

function TextField({
  setting,
  state: { form, settings, draft, change },
  label,
  description,
  placeholder,
  isCode = false,
  type = 'text',
}: SettingFieldProps) {
  const t = useT()
  const reason = readOnlyReason(settings, setting)
  if (reason) return <ReadOnlyText label={label} value={getText(settings, draft, setting)} reason={t(reason)} />
  return (
    <TextInput
      data-path={setting}
      type={type}
      label={label}
      description={description}
      error={form.errors[setting]}
      placeholder={placeholder}
      autoComplete="off"
      spellCheck={false}
      autoCapitalize="none"
      {...(isCode ? codeInputProps : {})}
      value={getText(settings, draft, setting)}
      onChange={(event) => change(setting, event.currentTarget.value)}
      onBlur={form.field(setting).onBlur}
    />
  )
}

/** A setting that cannot be changed: text that can be copied instead of an input. */
function ReadOnlyText({ label, value, reason }: { label: string; value: string; reason: string }) {
  const t = useT()
  return (
    <Input.Wrapper label={label} labelElement="div" description={reason}>
      <Group gap="2xs" mih={36} wrap="nowrap" style={{ overflowWrap: 'anywhere' }}>
        {value === '' ? '\u2013' : <CodeText>{value}</CodeText>}
        {value !== '' && <CopyButton value={value} label={t('settings.CopySetting', { name: label })} />}
      </Group>
    </Input.Wrapper>
  )
}

/** A secret is never shown. A saved one can be replaced, and removed when it is optional. */
function SecretField(props: SettingFieldProps) {
  const { setting, state } = props
  const [isReplacing, setIsReplacing] = useState(false)
  const isSaved =
    getSetting(state.settings, setting).isSet && !belongsToOtherProvider(state.settings, state.draft, setting)
  if (isSaved && !isReplacing) return <SavedSecret {...props} onReplace={() => setIsReplacing(true)} />
  return (
    <SecretInput
      {...props}
      {...(isReplacing && {
        onCancel: () => {
          setIsReplacing(false)
          state.change(setting, undefined)
        },
      })}
    />
  )
}

function SavedSecret(props: SettingFieldProps & { readonly onReplace: () => void }) {
  const {
    setting,
    state: { settings, draft, change },
    label,
    isOptional = false,
    onReplace,
  } = props
  const t = useT()
  const { isFixed, isAdminOnly } = getSetting(settings, setting)
  const isRemoved = draft[setting] === ''
  const status =
    isFixed && !isAdminOnly ? 'settings.Fixed' : isRemoved ? 'settings.SecretRemoved' : 'settings.SecretSet'
  return (
    <Fieldset variant="unstyled" legend={label} fz="compact">
      <Group gap="sm" mih="2.25rem" wrap="nowrap">
        <Group gap="2xs" flex={1} wrap="nowrap">
          {!isRemoved && <IconCircleCheck size={16} aria-hidden color="var(--ik-online)" />}
          <Text span variant="note">
            {t(status)}
          </Text>
        </Group>
        {isRemoved && (
          <Button size="xs" variant="subtle" onClick={() => change(setting, undefined)}>
            {t('settings.Keep')}
          </Button>
        )}
        {!isRemoved && !isFixed && (
          <>
            <Button size="xs" variant="default" onClick={onReplace}>
              {t('common.Replace')}
            </Button>
            {isOptional && (
              <Button size="xs" variant="subtle" onClick={() => change(setting, '')}>
                {t('common.Remove')}
              </Button>
            )}
          </>
        )}
      </Group>
    </Fieldset>
  )
}

function SecretInput({
  setting,
  state: { form, settings, draft, change },
  label,
  onCancel,
}: SettingFieldProps & {
  /** Keeps the saved secret; absent when there is none. */
  readonly onCancel?: () => void
}) {
  const t = useT()
  const input = useRef<HTMLInputElement>(null)
  const isReplacing = onCancel !== undefined

  useEffect(() => {
    if (isReplacing) input.current?.focus()
  }, [isReplacing])
  return (
    <Stack gap="2xs" align="flex-start">
      <PasswordField
        ref={input}
        data-path={setting}
        w="100%"
        label={label}
        error={form.errors[setting]}
        readOnly={getSetting(settings, setting).isFixed}
        autoComplete="new-password"
        value={String(draft[setting] ?? '')}
        onChange={({ currentTarget: { value } }) => change(setting, value === '' ? undefined : value)}
        onBlur={form.field(setting).onBlur}
      />
      {onCancel && (
        <Button size="xs" variant="subtle" onClick={onCancel}>
          {t('settings.KeepCurrent')}
        </Button>
      )}
    </Stack>
  )
}
