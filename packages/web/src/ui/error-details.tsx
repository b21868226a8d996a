import { limits } from '@innkeeper/contract/limits'
import { Button, Modal } from '@mantine/core'
import { useClipboard } from '@mantine/hooks'
import { IconAlertTriangle, IconCopy, IconLock } from '@tabler/icons-react'
import { isRefusal } from '../api/request.ts'
import { getRequestDetails } from '../api/request-details.ts'
import { useFormatters, useT } from '../i18n/i18n.tsx'
import { CodeText } from './code-text.tsx'
import classes from './error-details.module.css'
import { errorMessage, isUnknownError, statusText } from './error-message.ts'

interface ErrorDetailsProps {
  readonly error: unknown
  readonly retry?: () => void
  readonly opened: boolean
  readonly onClose: () => void
}

/** The failed request as it was, without its secrets, to understand it or to pass it on. */
export function ErrorDetails({ error, retry: again, opened, onClose }: ErrorDetailsProps) {
  const t = useT()
  const formats = useFormatters()
  const { copied, copy } = useClipboard({ timeout: limits.copiedMs })
  const record = getRequestDetails(error)
  const code = isRefusal(error) ? (error.unknown?.code ?? error.code) : 'ErrUnknownError'
  const body = record?.body === undefined ? '' : JSON.stringify(record.body, null, 2)
  const authorization = record?.authorization ? `Authorization: ${record.authorization}` : ''
  const status = record?.status === 0 ? t('errors.NoAnswer') : statusText(t, error)

  const rows = [
    [t('errors.Error'), code],
    ...(status ? [[t('errors.Status'), status]] : []),
    ...(record ? [[t('errors.Request'), `${record.method} ${record.path}`]] : []),
    ...(record ? [[t('errors.Time'), formats.dateTime(record.timestamp)]] : []),
  ] as const
  const asText = [...rows.map(([name, value]) => `${name}: ${value}`), body, authorization].filter(Boolean).join('\n')

  return (
    <Modal
      opened={opened}
      onClose={onClose}
      size={600}
      zIndex={500}
      title={
        <span className={classes.title}>
          <IconAlertTriangle size={20} aria-hidden />
          {t('errors.DetailsTitle')}
        </span>
      }
    >
      <p className={classes.summary}>
        {isUnknownError(error) && record && record.status >= 500
          ? t(record.method === 'GET' ? 'errors.PanelFailedReading' : 'errors.PanelFailedWriting')
          : errorMessage(t, error)}
      </p>
      <dl className={classes.list}>
        {rows.map(([name, value], index) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{index === 0 || index === 2 ? <CodeText>{value}</CodeText> : value}</dd>
          </div>
        ))}
      </dl>
      {(body || authorization) && (
        <>
          <div className={classes.bodyHead}>
            <span>{t('errors.RequestBody')}</span>
            <span className={classes.masked}>
              <IconLock size={13} aria-hidden />
              {t('errors.PasswordsMasked')}
            </span>
          </div>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard */}
          <pre className={classes.code} dir="ltr" tabIndex={0}>
            {body}
            {body && '\n'}
            <span>{authorization}</span>
          </pre>
        </>
      )}
      <div className={classes.foot}>
        <Button variant="default" leftSection={<IconCopy size={17} aria-hidden />} onClick={() => copy(asText)}>
          {copied ? t('common.Copied') : t('common.CopyAsText')}
        </Button>
        <span className={classes.space} />
        <Button variant="subtle" color="gray" onClick={onClose}>
          {t('common.Close')}
        </Button>
        {again && (
          <Button
            data-autofocus
            onClick={() => {
              onClose()
              again()
            }}
          >
            {t('common.TryAgain')}
          </Button>
        )}
      </div>
    </Modal>
  )
}
