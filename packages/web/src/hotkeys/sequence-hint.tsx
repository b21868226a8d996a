import { useT } from '../i18n/i18n.tsx'
import { Shortcut } from '../ui/shortcut.tsx'
import { useAvailableHotkeys, usePendingSequence } from './hotkeys.tsx'
import classes from './sequence-hint.module.css'

/** After the first key of a sequence: which keys may follow, and what they do. */
export function SequenceHint() {
  const t = useT()
  const pressed = usePendingSequence()
  const hotkeys = useAvailableHotkeys()
  const typed = `${pressed.join(' ')} `
  const choices = hotkeys.filter(({ keys }) => pressed.length > 0 && keys?.startsWith(typed))
  const complete = hotkeys.findLast(({ keys, waitsForNextKey }) => waitsForNextKey && keys === pressed.join(' '))

  return (
    <div role="status">
      {choices.length > 0 && (
        <div className={classes.hint}>
          <span className={`${classes.choice} ${classes.first}`}>
            <Shortcut keys={pressed.join(' ')} />
            {t('hotkeys.then')}
          </span>
          {complete && <span className={classes.choice}>{t('hotkeys.OrWait', { label: complete.label })}</span>}
          {choices.map(({ keys = '', label, danger }) => (
            <span key={keys} className={`${classes.choice} ${danger ? classes.danger : ''}`}>
              <Shortcut keys={keys.slice(typed.length)} />
              {label}
            </span>
          ))}
          <span className={`${classes.choice} ${classes.cancel}`}>
            <Shortcut keys="Esc" />
            {t('common.Cancel')}
          </span>
        </div>
      )}
    </div>
  )
}
