import {
  IconDeviceDesktop,
  IconDeviceMobile,
  IconFingerprint,
  IconKey,
  IconKeyboard,
  IconLock,
  IconPalette,
  IconUserCircle,
} from '@tabler/icons-react'
import { useEffect, useState } from 'react'
import { useText } from '../../i18n/text.tsx'
import classes from './account-screen.module.css'

/** The parts of the account by the end of their address, in their order. */
const sections = [
  { id: 'details', text: 'account.Details', Icon: IconUserCircle },
  { id: 'password', text: 'account.Password', Icon: IconLock },
  { id: 'two-factor', text: 'account.TwoFactor', Icon: IconDeviceMobile },
  { id: 'clients', text: 'oauth.Title', Icon: IconKey },
  { id: 'ssh-keys', text: 'account.SshKeys', Icon: IconFingerprint },
  { id: 'sessions', text: 'account.Sessions', Icon: IconDeviceDesktop },
  { id: 'appearance', text: 'account.Appearance', Icon: IconPalette },
  { id: 'shortcuts', text: 'account.Shortcuts', Icon: IconKeyboard },
] as const

/** How far below the top a part may begin and still be the one that is read. */
const readingLine = 160

/** Leads to the parts of the page, and marks the one in view. */
export function Sections() {
  const text = useText()
  const [here, setHere] = useState<string>(sections[0].id)

  useEffect(() => {
    const look = () => {
      const isReached = ({ id }: { id: string }) => {
        const part = document.getElementById(id)
        return part !== null && part.getBoundingClientRect().top <= readingLine
      }
      setHere((sections.findLast(isReached) ?? sections[0]).id)
    }
    document.addEventListener('scroll', look, { capture: true, passive: true })
    return () => document.removeEventListener('scroll', look, { capture: true })
  }, [])

  return (
    <nav className={classes.sections} aria-label={text('account.Sections')}>
      {sections.map(({ id, text: name, Icon }) => (
        <a
          key={id}
          href={`#${id}`}
          aria-current={id === here ? 'true' : undefined}
          onClick={(event) => {
            // The address stays what it is: a fragment would be a page of its own to the router.
            event.preventDefault()
            const part = document.getElementById(id)
            part?.scrollIntoView({ block: 'start' })
            part?.focus({ preventScroll: true })
            setHere(id)
          }}
        >
          <Icon size={17} stroke={1.6} aria-hidden />
          {text(name)}
        </a>
      ))}
    </nav>
  )
}
