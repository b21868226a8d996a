import { limits } from '@innkeeper/contract/limits'
import { Button, Modal } from '@mantine/core'
import { useClipboard } from '@mantine/hooks'
import { IconAlertTriangle, IconCopy, IconLock } from '@tabler/icons-react'
import { recordOf } from '../api/record.ts'
import { isRefusal } from '../api/request.ts'
import { useFormats, useText } from '../i18n/text.tsx'
import classes from './error-details.module.css'
import { isUnexplained, messageOf, statusHint } from './refusal.tsx'
import { Mono } from './small.tsx'

interface ErrorDetailsProps {
  readonly error: unknown
  readonly again?: () => void
  readonly opened: boolean
  readonly onClose: () => void
}

/** The failed request as it was, without its secrets, to understand it or to pass it on. */
export function ErrorDetails({ error, again, opened, onClose }: ErrorDetailsProps) {
  const text = useText()
  const formats = useFormats()
  const { copied, copy } = useClipboard({ timeout: limits.copiedMs })
  const record = recordOf(error)
  const code = isRefusal(error) ? (error.unknown?.code ?? error.code) : 'ErrUnknownError'
  const body = record?.body === undefined ? '' : JSON.stringify(record.body, null, 2)
  const authorization = record?.authorization ? `Authorization: ${record.authorization}` : ''
  const status = record?.status === 0 ? text('errors.NoAnswer') : statusHint(text, error)

  const rows = [
    [text('errors.Error'), code],
    ...(status ? [[text('errors.Status'), status]] : []),
    ...(record ? [[text('errors.Request'), `${record.method} ${record.path}`]] : []),
    ...(record ? [[text('errors.Time'), formats.dateTime(record.at)]] : []),
  ] as const
  const asText = [...rows.map(([name, value]) => `${name}: ${value}`), body, authorization].filter(Boolean).join('\n')

  return (
    <Modal
      opened={opened}
      onClose={onClose}
      size={600}
      zIndex={500}
      closeButtonProps={{ 'aria-label': text('common.Close') }}
      title={
        <span className={classes.title}>
          <IconAlertTriangle size={20} aria-hidden />
          {text('errors.DetailsTitle')}
        </span>
      }
    >
      <p className={classes.summary}>
        {isUnexplained(error) && record && record.status >= 500
          ? text(record.method === 'GET' ? 'errors.PanelFailedReading' : 'errors.PanelFailedWriting')
          : messageOf(text, error)}
      </p>
      <dl className={classes.list}>
        {rows.map(([name, value], at) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{at === 0 || at === 2 ? <Mono>{value}</Mono> : value}</dd>
          </div>
        ))}
      </dl>
      {(body || authorization) && (
        <>
          <div className={classes.bodyHead}>
            <span>{text('errors.RequestBody')}</span>
            <span className={classes.masked}>
              <IconLock size={13} aria-hidden />
              {text('errors.PasswordsMasked')}
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
          {copied ? text('common.Copied') : text('common.CopyAsText')}
        </Button>
        <span className={classes.space} />
        <Button variant="subtle" color="gray" onClick={onClose}>
          {text('common.Close')}
        </Button>
        {again && (
          <Button
            data-autofocus
            onClick={() => {
              onClose()
              again()
            }}
          >
            {text('common.TryAgain')}
          </Button>
        )}
      </div>
    </Modal>
  )
}
