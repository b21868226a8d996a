import { Menu, Tabs, UnstyledButton } from '@mantine/core'
import { IconDots } from '@tabler/icons-react'
import { useT } from '../../i18n/i18n.tsx'
import bottomBar from '../../ui/layout/bottom-bar.module.css'
import classes from './server-tabs.module.css'
import { splitTabs, type Tab, tabs } from './tabs.tsx'

/** The tabs below the header. */
export function TabList({ permitted }: { permitted: readonly Tab[] }) {
  const t = useT()
  return (
    <Tabs.List className={classes.list} aria-label={t('server.Tabs')} data-keep-clear>
      {permitted.map((tab) => {
        const { label, Icon } = tabs[tab]
        return (
          <Tabs.Tab key={tab} value={tab} className={classes.tab} leftSection={<Icon size={17} aria-hidden />}>
            {t(label)}
          </Tabs.Tab>
        )
      })}
    </Tabs.List>
  )
}

interface TabBarProps {
  readonly permitted: readonly Tab[]
  readonly current: Tab | undefined
  readonly onChange: (tab: Tab) => void
}

/** The tabs at the bottom of a phone. Those that do not fit are in a menu. */
export function TabBar({ permitted, current, onChange }: TabBarProps) {
  const t = useT()
  const { bar, overflow } = splitTabs(permitted)
  const isInMenu = current !== undefined && overflow.includes(current)
  return (
    <div className={bottomBar.bar}>
      <Tabs.List className={classes.barList} aria-label={t('server.Tabs')}>
        {bar.map((tab, index) => {
          const { label, Icon } = tabs[tab]
          return (
            <Tabs.Tab
              key={tab}
              value={tab}
              className={bottomBar.item}
              // When the current tab is in the menu, the first one can still be reached with the keyboard.
              {...(isInMenu && index === 0 ? { tabIndex: 0 } : {})}
            >
              <Icon size={22} aria-hidden />
              {t(label)}
            </Tabs.Tab>
          )
        })}
      </Tabs.List>
      {overflow.length > 0 && (
        <Menu position="top-end" width={200}>
          <Menu.Target>
            <UnstyledButton className={bottomBar.item} aria-current={isInMenu ? 'true' : undefined}>
              <IconDots size={22} aria-hidden />
              {t('server.MoreTabs')}
            </UnstyledButton>
          </Menu.Target>
          <Menu.Dropdown>
            {overflow.map((tab) => {
              const { label, Icon } = tabs[tab]
              return (
                <Menu.Item
                  key={tab}
                  leftSection={<Icon size={18} aria-hidden />}
                  aria-current={tab === current ? 'true' : undefined}
                  onClick={() => onChange(tab)}
                >
                  {t(label)}
                </Menu.Item>
              )
            })}
          </Menu.Dropdown>
        </Menu>
      )}
    </div>
  )
}
