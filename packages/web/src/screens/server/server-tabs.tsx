import { Menu } from '@mantine/core'
import {
  IconAdjustments,
  IconCalendarTime,
  IconChartLine,
  IconDots,
  IconFolder,
  IconShieldLock,
  IconTerminal2,
  IconUsers,
} from '@tabler/icons-react'
import { type KeyboardEvent, useRef } from 'react'
import { useT } from '../../i18n/i18n.tsx'
import { folded, type Tab, tabNames } from './rights.ts'
import classes from './server.module.css'

const icons = {
  console: IconTerminal2,
  stats: IconChartLine,
  files: IconFolder,
  tasks: IconCalendarTime,
  settings: IconAdjustments,
  users: IconUsers,
  admin: IconShieldLock,
}

interface ServerTabsProps {
  readonly tabs: readonly Tab[]
  readonly current: Tab | undefined
  readonly onChoose: (tab: Tab) => void
  /** At the bottom of a phone. */
  readonly isBar: boolean
}

/** Switches between the parts of a server page. Arrow keys move. */
export function ServerTabs({ tabs, current, onChoose, isBar }: ServerTabsProps) {
  const t = useT()
  const list = useRef<HTMLDivElement>(null)
  const { shown, more } = isBar ? folded(tabs) : { shown: tabs, more: [] }
  const isCurrentShown = current !== undefined && shown.includes(current)

  const move = (event: KeyboardEvent) => {
    const isRtl = document.documentElement.dir === 'rtl'
    const step = { ArrowRight: isRtl ? -1 : 1, ArrowLeft: isRtl ? 1 : -1 }[event.key]
    const at = isCurrentShown ? shown.indexOf(current) : 0
    const next =
      step === undefined ? { Home: 0, End: shown.length - 1 }[event.key] : (at + step + shown.length) % shown.length
    const tab = next === undefined ? undefined : shown[next]
    if (tab === undefined) return
    event.preventDefault()
    onChoose(tab)
    list.current?.querySelectorAll('button')[next ?? 0]?.focus()
  }
  const tabList = (
    <div
      ref={list}
      role="tablist"
      aria-label={t('server.Parts')}
      className={isBar ? classes.barTabs : classes.tabs}
      data-keep-clear={isBar ? undefined : true}
      onKeyDown={move}
    >
      {shown.map((tab, index) => {
        const Icon = icons[tab]
        return (
          <button
            key={tab}
            type="button"
            role="tab"
            id={`tab-${tab}`}
            aria-selected={tab === current}
            aria-controls={tab === current ? `panel-${tab}` : undefined}
            tabIndex={tab === current || (!isCurrentShown && index === 0) ? 0 : -1}
            onClick={() => onChoose(tab)}
          >
            <Icon size={isBar ? 22 : 17} aria-hidden />
            {t(tabNames[tab])}
          </button>
        )
      })}
    </div>
  )
  if (!isBar) return tabList
  return (
    <div className={classes.tabBar}>
      {tabList}
      {more.length > 0 && (
        <Menu position="top-end" width={200}>
          <Menu.Target>
            <button type="button" aria-current={!isCurrentShown && current !== undefined ? 'true' : undefined}>
              <IconDots size={22} aria-hidden />
              {t('server.MoreTabs')}
            </button>
          </Menu.Target>
          <Menu.Dropdown>
            {more.map((tab) => {
              const Icon = icons[tab]
              return (
                <Menu.Item
                  key={tab}
                  leftSection={<Icon size={18} aria-hidden />}
                  aria-current={tab === current ? 'true' : undefined}
                  onClick={() => onChoose(tab)}
                >
                  {t(tabNames[tab])}
                </Menu.Item>
              )
            })}
          </Menu.Dropdown>
        </Menu>
      )}
    </div>
  )
}
