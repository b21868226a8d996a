import { getConfig } from '@innkeeper/contract/settings/panel'
import { getTag } from '@innkeeper/contract/text/languages'
import { Anchor, Button, Divider, Group, Image, Modal, SimpleGrid, Stack, Text, TextInput } from '@mantine/core'
import { IconCheck, IconExternalLink, IconSearch } from '@tabler/icons-react'
import { useState } from 'react'
import { useApiQuery } from '../../api/use-api.ts'
import { useT } from '../../i18n/i18n.tsx'
import { languageName, locales } from '../../i18n/locale.ts'
import { useSession } from '../../session/session.tsx'
import { DocsLink } from '../../ui/layout/docs-link.tsx'
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
        <SimpleGrid component="ul" minColWidth="12.5rem" spacing="xs" verticalSpacing="2xs">
          {matches.map((locale) => (
            <li key={locale}>
              <Button
                fullWidth
                justify="flex-start"
                ta="start"
                variant={locale === current ? 'light' : 'subtle'}
                c="var(--ik-text)"
                lang={getTag(locale)}
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
        <Divider />
        <Group justify="space-between">
          <Text size="compact" c="dimmed">
            {t('language.Help')}
          </Text>
          <TranslationLink onClose={onClose} />
        </Group>
      </Stack>
    </Modal>
  )
}

/** Leads to the page that the panel names for translators, else to the documentation in the app, which needs a session. */
function TranslationLink({ onClose }: { onClose: () => void }) {
  const t = useT()
  const { data: config } = useApiQuery(getConfig, {}, { staleTime: 60_000 })
  const { isSignedIn } = useSession()
  const text = t('language.Translate')
  if (config?.translationUrl === undefined)
    return (
      isSignedIn && (
        <Text size="compact">
          <DocsLink to="translating" onClick={onClose}>
            {text}
          </DocsLink>
        </Text>
      )
    )
  return (
    <Anchor href={config.translationUrl} target="_blank" rel="noopener" size="compact">
      {text} <IconExternalLink size={15} aria-hidden style={{ verticalAlign: '-2px' }} />
    </Anchor>
  )
}
