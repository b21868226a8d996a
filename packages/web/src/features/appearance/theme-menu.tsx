import { Box, Menu } from '@mantine/core'
import { useT } from '../../i18n/i18n.tsx'
import { type ColorScheme, useColorSchemePreference } from './color-scheme.tsx'
import { ThemeSwatches } from './theme-swatches.tsx'
import { schemeIcons, useThemes } from './use-themes.ts'

const schemes = ['light', 'dark', 'auto'] as const

/** Radio choices of the color scheme and the theme. It opens below the element that it is in. */
export function ThemeMenu({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  const t = useT()
  const { scheme, setScheme } = useColorSchemePreference()
  const { available, current, setPreferred } = useThemes()
  return (
    <Menu opened={opened} onClose={onClose} position="bottom-end" width={210}>
      <Menu.Target>
        <Box pos="absolute" inset={0} style={{ pointerEvents: 'none' }} />
      </Menu.Target>
      <Menu.Dropdown mah="70vh" style={{ overflowY: 'auto' }}>
        <Menu.Label>{t('shell.Appearance')}</Menu.Label>
        <Menu.RadioGroup value={scheme} onChange={(value) => setScheme(value as ColorScheme)}>
          {schemes.map((value) => {
            const Icon = schemeIcons[value]
            return (
              <Menu.RadioItem
                key={value}
                value={value}
                closeMenuOnClick={false}
                rightSection={<Icon size={17} aria-hidden />}
              >
                {t(`account.Scheme_${value}`)}
              </Menu.RadioItem>
            )
          })}
        </Menu.RadioGroup>
        <Menu.Divider />
        <Menu.Label>{t('shell.Theme')}</Menu.Label>
        <Menu.RadioGroup value={current ?? ''} onChange={setPreferred}>
          {available.map((name) => (
            <Menu.RadioItem
              key={name}
              value={name}
              closeMenuOnClick={false}
              rightSection={<ThemeSwatches name={name} />}
            >
              <bdi>{name}</bdi>
            </Menu.RadioItem>
          ))}
        </Menu.RadioGroup>
      </Menu.Dropdown>
    </Menu>
  )
}
