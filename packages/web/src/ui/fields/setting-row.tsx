import { Box, Group, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import classes from '../layout/row-list.module.css'

interface SettingRowProps {
  /** The title gets the id `<id>-title`, the description `<id>-description`. */
  readonly id: string
  readonly title: string
  readonly description: string
  /** The title is the label of the control with this id. */
  readonly labelFor?: string
  readonly isDangerous?: boolean
  /** The control at the end of the row. */
  readonly children: ReactNode
}

/** A row of a card: title and description, then a switch or a button. */
export function SettingRow({ id, title, description, labelFor, isDangerous = false, children }: SettingRowProps) {
  return (
    <Group className={classes.row} gap="sm" px="md" py="sm" wrap="nowrap">
      <Box flex={1} miw={0}>
        <Text id={`${id}-title`} fw={500} {...(isDangerous ? { c: 'var(--ik-offline)' } : {})}>
          {labelFor === undefined ? title : <label htmlFor={labelFor}>{title}</label>}
        </Text>
        <Text id={`${id}-description`} variant="note">
          {description}
        </Text>
      </Box>
      {children}
    </Group>
  )
}
