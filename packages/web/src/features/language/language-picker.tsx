import { tagOf } from '@innkeeper/contract/languages'
import { Modal, TextInput, UnstyledButton } from '@mantine/core'
import { IconCheck, IconSearch } from '@tabler/icons-react'
import { useState } from 'react'
import { useT } from '../../i18n/i18n.tsx'
import { languageName, locales } from '../../i18n/locale.ts'
import classes from './language-picker.module.css'
import { useLanguage } from './use-language.ts'

/** Every language there is a catalogue for, by its own name. */
export function LanguagePicker({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  const t = useT()
  const { locale: current, choose } = useLanguage()
  const [sought, setSought] = useState('')
  const found = locales.filter((locale) =>
    `${languageName(locale)} ${locale}`.toLocaleLowerCase().includes(sought.trim().toLocaleLowerCase()),
  )

  return (
    <Modal opened={opened} onClose={onClose} size={760} title={t('language.Title')}>
      <TextInput
        data-autofocus
        aria-label={t('language.Find')}
        placeholder={t('language.Find')}
        leftSection={<IconSearch size={15} aria-hidden />}
        value={sought}
        onChange={(event) => setSought(event.currentTarget.value)}
      />
      <ul className={classes.list}>
        {found.map((locale) => (
          <li key={locale}>
            <UnstyledButton
              className={classes.language}
              lang={tagOf(locale)}
              aria-current={locale === current ? 'true' : undefined}
              onClick={async () => {
                await choose(locale)
                onClose()
              }}
            >
              <bdi>{languageName(locale)}</bdi>
              {locale === current && <IconCheck size={16} aria-hidden />}
            </UnstyledButton>
          </li>
        ))}
      </ul>
      {found.length === 0 && <p className={classes.none}>{t('language.None', { sought })}</p>}
    </Modal>
  )
}
