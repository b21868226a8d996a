import { limits } from '@innkeeper/contract/limits'
import { Button, Modal } from '@mantine/core'
import { useClipboard } from '@mantine/hooks'
import { IconCheck, IconCopy, IconDownload } from '@tabler/icons-react'
import { use } from 'react'
import { useT } from '../../i18n/i18n.tsx'
import { Alert } from '../../ui/alert.tsx'
import { BrandContext } from '../../ui/page.tsx'
import { saveAsFile } from '../../ui/save-as-file.ts'
import classes from './recovery-codes.module.css'

/** The only sight of recovery codes: nothing but saying that they were saved closes the dialog. */
export function RecoveryCodes({ codes, onSaved }: { codes: readonly string[]; onSaved: () => void }) {
  const t = useT()
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
      title={t('two-factor.RecoveryTitle')}
    >
      <div className={classes.dialog}>
        <Alert type="warning">{t('two-factor.RecoveryOnce')}</Alert>
        <ul className={classes.codes} dir="ltr" aria-label={t('two-factor.RecoveryCodes')}>
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
            {copied ? t('common.Copied') : t('two-factor.CopyAll')}
          </Button>
          <Button
            variant="default"
            leftSection={<IconDownload size={17} aria-hidden />}
            onClick={() => saveAsFile(t('two-factor.FileName', { brand }), `${all}\n`)}
          >
            {t('two-factor.Download')}
          </Button>
          <span className={classes.space} />
          <Button onClick={onSaved}>{t('two-factor.SavedThem')}</Button>
        </div>
      </div>
    </Modal>
  )
}
