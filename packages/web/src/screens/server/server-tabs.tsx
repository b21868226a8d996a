import { IconAdjustments, IconChartLine, IconShieldLock, IconTerminal2, IconUsers } from '@tabler/icons-react'
import { type KeyboardEvent, useRef } from 'react'
import { useText } from '../../i18n/text.tsx'
import { type Tab, tabNames } from './rights.ts'
import classes from './server.module.css'

const icons = {
  console: IconTerminal2,
  stats: IconChartLine,
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
  const text = useText()
  const list = useRef<HTMLDivElement>(null)

  const move = (event: KeyboardEvent) => {
    const isRtl = document.documentElement.dir === 'rtl'
    const step = { ArrowRight: isRtl ? -1 : 1, ArrowLeft: isRtl ? 1 : -1 }[event.key]
    const at = tabs.indexOf(current ?? tabs[0] ?? 'console')
    const next =
      step === undefined ? { Home: 0, End: tabs.length - 1 }[event.key] : (at + step + tabs.length) % tabs.length
    const tab = next === undefined ? undefined : tabs[next]
    if (tab === undefined) return
    event.preventDefault()
    onChoose(tab)
    list.current?.querySelectorAll('button')[next ?? 0]?.focus()
  }
  return (
    <div
      ref={list}
      role="tablist"
      aria-label={text('server.Parts')}
      className={isBar ? classes.tabBar : classes.tabs}
      onKeyDown={move}
    >
      {tabs.map((tab) => {
        const Icon = icons[tab]
        return (
          <button
            key={tab}
            type="button"
            role="tab"
            id={`tab-${tab}`}
            aria-selected={tab === current}
            aria-controls={tab === current ? `panel-${tab}` : undefined}
            tabIndex={tab === current ? 0 : -1}
            onClick={() => onChoose(tab)}
          >
            <Icon size={isBar ? 22 : 17} stroke={1.6} aria-hidden />
            {text(tabNames[tab])}
          </button>
        )
      })}
    </div>
  )
}
