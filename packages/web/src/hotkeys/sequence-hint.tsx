import { useText } from '../i18n/text.tsx'
import { Keys } from '../ui/small.tsx'
import { useAvailableHotkeys, usePressedKeys } from './hotkeys.tsx'
import classes from './sequence-hint.module.css'

/** After the first key of a sequence: which keys may follow, and what they do. */
export function SequenceHint() {
  const text = useText()
  const pressed = usePressedKeys()
  const hotkeys = useAvailableHotkeys()
  const typed = `${pressed.join(' ')} `
  const choices = hotkeys.filter(({ keys }) => pressed.length > 0 && keys?.startsWith(typed))
  const complete = hotkeys.findLast(({ keys, isPatient }) => isPatient && keys === pressed.join(' '))

  return (
    <div role="status">
      {choices.length > 0 && (
        <div className={classes.hint}>
          <span className={`${classes.choice} ${classes.first}`}>
            <Keys keys={pressed.join(' ')} />
            {text('hotkeys.then')}
          </span>
          {complete && <span className={classes.choice}>{text('hotkeys.OrWait', { label: complete.label })}</span>}
          {choices.map(({ keys = '', label, danger }) => (
            <span key={keys} className={`${classes.choice} ${danger ? classes.danger : ''}`}>
              <Keys keys={keys.slice(typed.length)} />
              {label}
            </span>
          ))}
          <span className={`${classes.choice} ${classes.cancel}`}>
            <Keys keys="Esc" />
            {text('common.Cancel')}
          </span>
        </div>
      )}
    </div>
  )
}
