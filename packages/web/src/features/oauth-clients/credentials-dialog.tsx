import { limits } from '@innkeeper/contract/limits'
import type { ClientCredentials } from '@innkeeper/contract/oauth2'
import { Button, Modal, TextInput } from '@mantine/core'
import { useClipboard } from '@mantine/hooks'
import { IconCheck, IconCircleCheck, IconCopy } from '@tabler/icons-react'
import { useT } from '../../i18n/i18n.tsx'
import { Alert } from '../../ui/alert.tsx'
import { ApiLink } from './api-link.tsx'
import classes from './oauth-clients.module.css'

interface CredentialsDialogProps {
  readonly credentials: ClientCredentials
  readonly reach: string
  readonly onSaved: () => void
}

/** The only sight of a secret: nothing but saying that it was saved closes the dialog. */
export function CredentialsDialog({ credentials, reach, onSaved }: CredentialsDialogProps) {
  const t = useT()
  return (
    <Modal
      opened
      size={520}
      onClose={() => undefined}
      closeOnEscape={false}
      closeOnClickOutside={false}
      withCloseButton={false}
      title={
        <span className={classes.title}>
          <IconCircleCheck size={20} aria-hidden />
          {t('oauth.Created')}
        </span>
      }
    >
      <div className={classes.form}>
        <Alert type="warning">{t('oauth.CopyNow')}</Alert>
        <Credential label={t('oauth.ClientId')} copyLabel={t('oauth.CopyId')} value={credentials.id} />
        <Credential label={t('oauth.Secret')} copyLabel={t('oauth.CopySecret')} value={credentials.secret} />
        <p className={classes.reach}>{reach}</p>
        <div className={classes.buttons}>
          <ApiLink />
          <Button onClick={onSaved}>{t('oauth.Saved')}</Button>
        </div>
      </div>
    </Modal>
  )
}

function Credential({ label, copyLabel, value }: { label: string; copyLabel: string; value: string }) {
  const t = useT()
  const { copied, copy, error } = useClipboard({ timeout: limits.copiedMs })
  return (
    <div className={classes.credential}>
      <TextInput
        readOnly
        label={label}
        value={value}
        dir="ltr"
        spellCheck={false}
        classNames={{ input: classes.mono ?? '' }}
        error={error ? t('oauth.CopyFailed') : undefined}
        onFocus={(event) => event.currentTarget.select()}
      />
      <Button
        variant="default"
        aria-label={copied ? t('common.Copied') : copyLabel}
        className={copied ? classes.copied : ''}
        leftSection={copied ? <IconCheck size={17} aria-hidden /> : <IconCopy size={17} aria-hidden />}
        onClick={() => copy(value)}
      >
        {copied ? t('common.Copied') : t('oauth.Copy')}
      </Button>
    </div>
  )
}
