import { limits } from '@innkeeper/contract/limits'
import { Button, Modal } from '@mantine/core'
import { useClipboard } from '@mantine/hooks'
import { IconCheck, IconCopy, IconDownload } from '@tabler/icons-react'
import { use } from 'react'
import { useText } from '../../i18n/text.tsx'
import { Notice } from '../../ui/notice.tsx'
import { BrandContext } from '../../ui/page.tsx'
import { saveAsFile } from '../../ui/save-as-file.ts'
import classes from './recovery-codes.module.css'

/** The only sight of recovery codes: nothing but saying that they were saved closes the dialog. */
export function RecoveryCodes({ codes, onSaved }: { codes: readonly string[]; onSaved: () => void }) {
  const text = useText()
  const brand = use(BrandContext)
  const { copied, copy } = useClipboard({ timeout: limits.copiedMs })
  const all = codes.join('\n')
  return (
    <Modal
      opened
      size={480}
      onClose={() => undefined}
      closeOnEscape={false}
      closeOnClickOutside={false}
      withCloseButton={false}
      title={text('two-factor.RecoveryTitle')}
    >
      <div className={classes.dialog}>
        <Notice kind="warning">{text('two-factor.RecoveryOnce')}</Notice>
        <ul className={classes.codes} dir="ltr" aria-label={text('two-factor.RecoveryCodes')}>
          {codes.map((code) => (
            <li key={code}>{code}</li>
          ))}
        </ul>
        <div className={classes.buttons}>
          <Button
            variant="default"
            leftSection={copied ? <IconCheck size={17} aria-hidden /> : <IconCopy size={17} aria-hidden />}
            onClick={() => copy(all)}
          >
            {copied ? text('common.Copied') : text('two-factor.CopyAll')}
          </Button>
          <Button
            variant="default"
            leftSection={<IconDownload size={17} aria-hidden />}
            onClick={() => saveAsFile(text('two-factor.FileName', { brand }), `${all}\n`)}
          >
            {text('two-factor.Download')}
          </Button>
          <span className={classes.space} />
          <Button onClick={onSaved}>{text('two-factor.SavedThem')}</Button>
        </div>
      </div>
    </Modal>
  )
}
