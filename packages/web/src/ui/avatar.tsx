import classes from './avatar.module.css'

/** The first letters of a name in a circle; the name itself stands beside it. */
export function Avatar({ name }: { name: string }) {
  return (
    <span className={classes.avatar} aria-hidden>
      {name.slice(0, 2).toUpperCase()}
    </span>
  )
}
