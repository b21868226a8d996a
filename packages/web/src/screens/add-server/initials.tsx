import { Avatar } from '@mantine/core'
import classes from './add-server.module.css'

/** The first letters of a template's name in a square. */
export function Initials({ name }: { name: string }) {
  return (
    <Avatar size={38} radius="md" className={classes.initials} aria-hidden>
      {name.slice(0, 2)}
    </Avatar>
  )
}
