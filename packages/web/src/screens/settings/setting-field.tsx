import { type SettingKey, secretSettings } from '@innkeeper/contract/settings'
import { Button, PasswordInput, TextInput } from '@mantine/core'
import { IconCircleCheck } from '@tabler/icons-react'
import { useEffect, useRef, useState } from 'react'
import { useT } from '../../i18n/i18n.tsx'
import { type Held, heldOf, isForeign, reasonOf, textIn } from './draft.ts'
import classes from './settings-screen.module.css'
import type { SettingsForm } from './use-settings-form.ts'

interface SettingFieldProps {
  readonly setting: SettingKey
  readonly held: Held
  readonly state: SettingsForm
  readonly label: string
  readonly help?: string
  readonly placeholder?: string
  /** What machines read: fixed width, left to right. */
  readonly isCode?: boolean
  readonly isOptional?: boolean
  readonly type?: 'text' | 'email' | 'url'
}

/** One setting that is text. One that the environment of the panel decides is shown and says so. */
export function SettingField(props: SettingFieldProps) {
  const { setting, state } = props
  // What was replaced is saved or discarded: it is a held secret again.
  return secretSettings.includes(setting) ? (
    <SecretField key={state.form.revision} {...props} />
  ) : (
    <TextField {...props} />
  )
}

function TextField({
  setting,
  held,
  state,
  label,
  help,
  placeholder,
  isCode = false,
  type = 'text',
}: SettingFieldProps) {
  const t = useT()
  const current = heldOf(held, setting)
  const { isFixed } = current
  return (
    <TextInput
      data-path={setting}
      type={type}
      label={label}
      description={isFixed ? t(reasonOf(current)) : help}
      inputWrapperOrder={['label', 'input', state.form.errors[setting] ? 'error' : 'description']}
      error={state.form.errors[setting]}
      readOnly={isFixed}
      variant={isFixed ? 'filled' : 'default'}
      placeholder={placeholder ?? ''}
      autoComplete="off"
      spellCheck={false}
      autoCapitalize="none"
      {...(isCode ? { dir: 'ltr', classNames: { input: classes.mono ?? '' } } : {})}
      value={textIn(held, state.draft, setting)}
      onChange={(event) => state.change(setting, event.currentTarget.value)}
      onBlur={state.form.field(setting).onBlur}
    />
  )
}

/** A secret is written and never read: it is there, and can be replaced or taken away. */
function SecretField({ setting, held, state, label, isOptional = false }: SettingFieldProps) {
  const t = useT()
  const input = useRef<HTMLInputElement>(null)
  const [isReplacing, setIsReplacing] = useState(false)
  const { isSet, isFixed, isForAdmins } = heldOf(held, setting)
  const isHeld = isSet && !isForeign(held, state.draft, setting)
  const drafted = state.draft[setting]
  const isRemoved = isHeld && !isReplacing && drafted === ''

  useEffect(() => {
    if (isReplacing) input.current?.focus()
  }, [isReplacing])

  if (isHeld && !isReplacing) {
    return (
      <fieldset className={classes.group}>
        <legend className={classes.label}>{label}</legend>
        <div className={classes.secret}>
          <span className={classes.set}>
            {!isRemoved && <IconCircleCheck size={16} className={classes.tick} aria-hidden />}
            {t(
              isFixed && !isForAdmins
                ? 'settings.SecretFixed'
                : isRemoved
                  ? 'settings.SecretRemoved'
                  : 'settings.SecretSet',
            )}
          </span>
          {isRemoved ? (
            <Button size="xs" variant="subtle" color="gray" onClick={() => state.change(setting, undefined)}>
              {t('settings.Keep')}
            </Button>
          ) : (
            !isFixed && (
              <>
                <Button size="xs" variant="default" onClick={() => setIsReplacing(true)}>
                  {t('settings.Replace')}
                </Button>
                {isOptional && (
                  <Button size="xs" variant="subtle" color="gray" onClick={() => state.change(setting, '')}>
                    {t('settings.Remove')}
                  </Button>
                )}
              </>
            )
          )}
        </div>
      </fieldset>
    )
  }
  return (
    <div className={classes.replacing}>
      <PasswordInput
        ref={input}
        data-path={setting}
        label={label}
        error={state.form.errors[setting]}
        readOnly={isFixed}
        autoComplete="new-password"
        value={String(drafted ?? '')}
        onChange={(event) => {
          const { value } = event.currentTarget
          state.change(setting, value === '' ? undefined : value)
        }}
        onBlur={state.form.field(setting).onBlur}
      />
      {isReplacing && (
        <Button
          size="xs"
          variant="subtle"
          color="gray"
          onClick={() => {
            setIsReplacing(false)
            state.change(setting, undefined)
          }}
        >
          {t('settings.KeepOld')}
        </Button>
      )}
    </div>
  )
}
