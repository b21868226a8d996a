import { tagOf } from '@innkeeper/contract/languages'
import { Button, Image, Modal, SimpleGrid, Stack, Text, TextInput } from '@mantine/core'
import { IconCheck, IconSearch } from '@tabler/icons-react'
import { useState } from 'react'
import { useT } from '../../i18n/i18n.tsx'
import { languageName, locales } from '../../i18n/locale.ts'
import { flagUrl } from './flags.ts'
import { useLanguage } from './use-language.ts'

/** Lists every language of the catalog by its own name. */
export function LanguagePicker({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  const t = useT()
  const { locale: current, setLanguage } = useLanguage()
  const [query, setQuery] = useState('')
  const matches = locales.filter((locale) =>
    `${languageName(locale)} ${locale}`.toLocaleLowerCase().includes(query.trim().toLocaleLowerCase()),
  )

  return (
    <Modal opened={opened} onClose={onClose} size={760} title={t('language.Title')}>
      <Stack>
        <TextInput
          data-autofocus
          aria-label={t('language.Find')}
          placeholder={t('language.Find')}
          leftSection={<IconSearch size={15} aria-hidden />}
          value={query}
          onChange={(event) => setQuery(event.currentTarget.value)}
        />
        <SimpleGrid
          component="ul"
          m={0}
          p={0}
          minColWidth="10rem"
          spacing="xs"
          verticalSpacing="2xs"
          style={{ listStyle: 'none' }}
        >
          {matches.map((locale) => (
            <li key={locale}>
              <Button
                fullWidth
                justify="space-between"
                variant={locale === current ? 'light' : 'subtle'}
                c="var(--ik-text)"
                lang={tagOf(locale)}
                leftSection={
                  <Image src={flagUrl(locale)} alt="" w="1.5rem" h="1rem" radius="xs" bd="1px solid var(--ik-border)" />
                }
                aria-current={locale === current ? 'true' : undefined}
                rightSection={locale === current && <IconCheck size={16} aria-hidden />}
                onClick={async () => {
                  await setLanguage(locale)
                  onClose()
                }}
              >
                <bdi>{languageName(locale)}</bdi>
              </Button>
            </li>
          ))}
        </SimpleGrid>
        {matches.length === 0 && <Text c="dimmed">{t('language.None', { query })}</Text>}
      </Stack>
    </Modal>
  )
}
